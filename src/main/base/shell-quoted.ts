/** Quotes a word for a shell, if it needs quotes: for a POSIX one, or as PowerShell and cmd both read them. */
export const shellQuoted = (word: string, platform: NodeJS.Platform = process.platform): string => {
  if (platform === 'win32') return /^[\w.:~\\/-]+$/.test(word) ? word : `"${word}"`
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
