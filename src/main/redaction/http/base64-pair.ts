/** True for base64 of a name, a colon and a password. */
export function decodesToPair(text: string): boolean {
  if (text.replaceAll(/%3D/gi, '=').length % 4 !== 0) return false
  return /^[^\p{Cc}\ufffd:]{0,300}:[^\p{Cc}\ufffd]+$/u.test(Buffer.from(text, 'base64').toString('utf8'))
}
