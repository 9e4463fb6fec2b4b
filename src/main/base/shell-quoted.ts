/**
 * Quotes a word for a shell, if it needs quotes: for a POSIX one, or as PowerShell and cmd both read them. What PowerShell would
 * replace within them, a $ or a backtick, is as PowerShell wants it; cmd has no way to type a %name% that is set.
 */
export const shellQuoted = (word: string, platform: NodeJS.Platform = process.platform): string => {
  if (platform === 'win32') return /^[\w.:~\\/-]+$/.test(word) ? word : `"${word.replaceAll(/[$`]/g, '`$&')}"`
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
