/** Returns the LIKE pattern of texts that contain the typed text, escaped with `\`; undefined for blanks. */
export function containing(typed: string): string | undefined {
  const text = typed.trim()
  return text === '' ? undefined : `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
}
