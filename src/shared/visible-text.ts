/**
 * Characters that reorder or hide the text around them: marks of direction (U+061C, U+200E, U+200F), embeddings, overrides and
 * isolates, zero-width space and word joiner, byte order mark, and tags. Joiners of scripts and emoji (U+200C, U+200D) stay.
 */
const HIDING = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Returns text with each character that reorders or hides text replaced by its name, such as `[U+202E]`. */
export const visibleText = (text: string): string =>
  text.replaceAll(HIDING, (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
