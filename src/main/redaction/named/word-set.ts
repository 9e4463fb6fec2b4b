/** Makes a set of the words in some lines. */
export const wordSet = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '))
