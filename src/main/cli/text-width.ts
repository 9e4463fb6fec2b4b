/** Characters that take two columns of a terminal, and those that take none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu
const NONE = /[\p{Mn}\p{Me}\p{Cf}]/gu
const PLAIN = /^[\n -~]*$/

/** Returns how many columns of a terminal a text without control characters takes: never fewer than it does. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  const shown = text.replaceAll(NONE, '')
  return Array.from(shown).length + (shown.match(WIDE)?.length ?? 0)
}
