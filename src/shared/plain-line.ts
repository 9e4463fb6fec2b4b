/** Returns the beginning of a text in one line, without the marks of Markdown. */
export const plainLine = (text: string): string =>
  text
    .slice(0, 2000)
    .replaceAll(/[*`#]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
