/** Longer characters, such as a letter under a heap of accents, are cut between code points. */
const MAX_OF_CHARACTER = 64
/** Neither of two such code units joins the other to a character. */
const STANDS_ALONE = /^[\n -~\u00a0-\u02ff\u0400-\u0482\u3000-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]{2}$/
/** Takes 2 MB, so that it exists once it is needed. */
let segmenter: Intl.Segmenter | undefined

/**
 * Returns the beginning of a text with at most `most` code units. It ends with a whole character as people see it: no half
 * of an emoji, no letter without its accent.
 */
export const firstCharacters = (text: string, most: number): string =>
  (text.length <= most ? text : text.slice(0, characterStart(text, Math.max(0, most)))).toWellFormed()

/** Returns the end of a text with at most `most` code units. It begins with a whole character. */
export function lastCharacters(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed()
  const start = characterStart(text, text.length - Math.max(0, most))
  const isWhole = start === text.length - most
  return text.slice(isWhole ? start : characterEnd(text, start)).toWellFormed()
}

/** Shortens a text to at most `most` code units, of which the last is "…" if something was left out. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text.toWellFormed() : `${firstCharacters(text, most - 1)}…`

/** Returns the position at or before `at` where a character begins. */
export function characterStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length || STANDS_ALONE.test(text.slice(at - 1, at + 1))) return at
  const { start, index, isWhole } = characterAt(text, at)
  if (isWhole) return start + index
  return isLowSurrogate(text, at) ? at - 1 : at
}

function characterEnd(text: string, begin: number): number {
  const { start, index, length, isWhole } = characterAt(text, begin)
  return isWhole ? start + index + length : begin + (isLowSurrogate(text, begin + 1) ? 2 : 1)
}

/** Finds the character that has the code unit at a position, in a part of the text that begins with a whole code point. */
function characterAt(text: string, at: number) {
  const earliest = Math.max(0, at - MAX_OF_CHARACTER)
  const start = isLowSurrogate(text, earliest) ? earliest + 1 : earliest
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const found = segmenter.segment(text.slice(start, at + MAX_OF_CHARACTER)).containing(at - start)
  const { index, segment } = found ?? { index: at - start, segment: '' }
  return { start, index, length: segment.length, isWhole: index > 0 || start === 0 }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
