/** A parsed value takes 50 to 200 bytes. The largest requests of clients have some 50,000 values. */
export const MAX_JSON_VALUES = 500_000

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/**
 * Returns true if JSON has more than `MAX_JSON_VALUES` lists, objects and members: 64 MB of `{},` would take a gigabyte
 * when parsed. Reads the bytes without parsing them.
 */
export function hasTooManyValues(json: Buffer): boolean {
  if (json.length <= MAX_JSON_VALUES) return false
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      count += 1
      if (count > MAX_JSON_VALUES) return true
    }
  }
  return false
}

/** Returns the offset of the quote that ends the string, or the length if none does. */
function endOfString(json: Buffer, quote: number): number {
  for (let end = json.indexOf(QUOTE, quote + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}
