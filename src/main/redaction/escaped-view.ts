/** A text without colours and with the escapes of its printable characters decoded, and a mapping to the original. */
export interface EscapedView {
  readonly text: string
  toOriginal(position: number): number
  /** Like `toOriginal`, for the end of a part: a colour code after it does not belong to it. */
  endToOriginal(position: number): number
  fromOriginal(position: number): number
}

/**
 * A terminal's colour codes, also written as an escape or without their first character; JSON's `\u0041` at any depth of
 * backslashes, `\x41`, URL encoding applied up to three times, and HTML's entities for quotes and signs.
 */
const ESCAPE =
  /(?:[^\P{Cc}\s]|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[\d;]{0,20}[mK]|\[\d{1,3}(?:;\d{1,3}){0,4}m|\\{1,16}(?:u00|x)([2-7][0-9A-Fa-f])|%(?:25){0,2}([2-7][0-9A-Fa-f]|0[9ADad])|&(?:(quot|apos|amp|lt|gt)|#(?:(3[49]|6[0-2])|x([23][0-9A-Fa-f])));/gu
const UNFINISHED =
  /(?:(?:[^\P{Cc}\s]|\\{1,16}(?:u001[bB]|x1[bB]|033|e))(?:\[[\d;]{0,20})?|\\{1,16}(?:x[1-7]?|0?3?|u(?:0(?:0[1-7]?)?)?)?|%(?:2(?:5(?:2(?:5[0-7]?)?|[0-7])?)?|[0-7])?|&(?:[a-z]{0,4}|#x?[0-9A-Fa-f]{0,2}))$/u
const HAS_ESCAPE = /\\(?:u00|x[1-7]|033\[|e\[)|%[0-7][0-9A-Fa-f]|&(?:quot|apos|amp|lt|gt|#)/
/** What every coloured text has, if not its beginning then its end. */
const COLOURS = ['\u001b', '[0m', '[39m']
/** What every escape has one of. */
const SIGNS = /[\\%&[]/
const SHORT = 64
const ENTITIES: { readonly [name: string]: string } = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }
/** Longest escape. */
const LONGEST = 44

/** True if a text may have escapes, so that its anchors are found only in the decoded text. */
const hasEscapes = (text: string): boolean =>
  // Finding one letter is many times as fast as an expression, except in a short text.
  (text.length > SHORT || SIGNS.test(text)) &&
  (((text.includes('\\') || text.includes('%') || text.includes('&')) && HAS_ESCAPE.test(text)) ||
    COLOURS.some((part) => text.includes(part)))

function decoded([, json, url, entity, decimal, hex]: RegExpMatchArray): string {
  if (entity !== undefined) return ENTITIES[entity] ?? ''
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  const code = json ?? url ?? hex
  return code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16))
}

const same = (position: number) => position

/**
 * Decodes escapes: any character of a secret or its name may be written as one. Unless `final`, an escape cut off by the end of
 * the text is left out of the view.
 */
export function escapedView(original: string, final: boolean): EscapedView {
  const cut = final ? -1 : original.slice(-LONGEST).search(UNFINISHED)
  const whole = cut < 0 ? original : original.slice(0, Math.max(0, original.length - LONGEST) + cut)
  return hasEscapes(whole)
    ? viewOf(whole, ESCAPE, decoded)
    : { text: whole, toOriginal: same, endToOriginal: same, fromOriginal: same }
}

/** Views a text with its escapes decoded. */
export function viewOf(whole: string, escape: RegExp, decode: (hit: RegExpMatchArray) => string): EscapedView {
  // The view's position after each escape, and how many characters it lags behind the original from there.
  const from: number[] = []
  const behind: number[] = []
  const removed = new Set<number>()
  let text = ''
  let done = 0
  for (const hit of whole.matchAll(escape)) {
    const letter = decode(hit)
    if (letter === '') removed.add(from.length)
    text += whole.slice(done, hit.index) + letter
    done = hit.index + hit[0].length
    from.push(text.length)
    behind.push(done - text.length)
  }
  text += whole.slice(done)
  const toOriginal = (position: number) => position + (behind[lastAtMost(from, position)] ?? 0)
  return {
    text,
    toOriginal,
    endToOriginal(position) {
      let at = lastAtMost(from, position)
      while (from[at] === position && removed.has(at)) at -= 1
      return position + (behind[at] ?? 0)
    },
    fromOriginal: (position) => {
      const at = lastAtMost(
        from.map((start, index) => start + (behind[index] ?? 0)),
        position,
      )
      return position - (behind[at] ?? 0)
    },
  }
}

/** Returns the index of the last number that is at most `limit`, or -1. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
