/** A bar between two cells of a Markdown table. */
export const BAR = /(?<!\\)\|/

/** Returns the cells of a row of a Markdown table with a dot between them, without the bars. */
export const cellsOf = (row: string): string =>
  row
    .split(BAR)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
    .filter(Boolean)
    .join(' · ')
