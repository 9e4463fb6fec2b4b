/** Escape sequences of terminals, which a screen does not show: `ESC[31m`, `ESC[2K`, `ESC(B`. */
// eslint-disable-next-line no-control-regex -- These are control characters.
const ESCAPE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-OQ-WYZ\\`-~]/g
/** The same as written in source code and JSON, and as shown in logs: `\u001b[31m`, `\033[31m`, `^[[31m`. */
const SPELLED = /(?:\\u001b|\\u\{1b\}|\\x1b|\\0?33|\\e|\^\[|␛)\[[\d;]*[A-Za-z]/gi
/** Colours of a text that was copied without its control characters: `[31merror[0m`. */
const COLOR = /\[\d{1,3}(?:;\d{1,3})*m/g
const RESET = /\[(?:0|22|39|49)m/

/** Letters, also as JSON and code write them: `caf\u00e9`. */
const LETTER = String.raw`(?:[\p{L}\p{N}]|\\u[\da-f]{4})`
/** A word after the letter of an escape, or with letters that are escapes. */
const ESCAPED_WORD = new RegExp(String.raw`(?<=\\[bfnrt])${LETTER}+|[\p{L}\p{N}]*\\u[\da-f]{4}${LETTER}*`, 'giu')

/** Yields the words that escapes of JSON or code hide, with their places: `break` in `line\nbreak`, `café` in `caf\u00e9`. */
export function* escapedWords(
  text: string,
): Generator<{ readonly word: string; readonly start: number; readonly end: number }> {
  if (!text.includes('\\')) return
  for (const { 0: written, index: start } of text.matchAll(ESCAPED_WORD)) {
    const word = written.replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    yield { word: word.toWellFormed(), start, end: start + written.length }
  }
}

const blank = (sequence: string): string => ' '.repeat(sequence.length)

/** Blanks the escape sequences of a text. Its length and all positions stay. */
export function withoutEscapes(text: string): string {
  const plain = text.replace(ESCAPE, blank).replace(SPELLED, blank)
  return RESET.test(plain) ? plain.replace(COLOR, blank) : plain
}
