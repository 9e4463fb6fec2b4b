/** A complete string, or one that is cut off at the end of the text. */
const STRING = /"((?:[^"\\]|\\.)*)("|\\?$)/gs
const BARE = /-?\d[\d.eE+-]*|true|false|null/g

/**
 * Formats the input of a tool call while it is still being written. The JSON is incomplete, and its start may be missing.
 * Returns one line per value with its name; the first value has no name.
 */
export function inputAsWritten(json: string): string {
  const text = /^\s*[{[]/.test(json) || json === '' ? json : `"${json}`
  const lines: string[] = []
  /** Brackets that are still open. */
  let open = ''
  let name = ''
  let at = 0
  const put = (value: string): void => {
    lines.push(name === '' || lines.length === 0 ? value : `${name}: ${value}`)
    if (!open.endsWith('[')) name = ''
  }
  const between = (part: string): void => {
    for (const [value] of part.matchAll(BARE)) put(value)
    for (const sign of part) {
      if (sign === '{' || sign === '[') open += sign
      else if (sign === '}' || sign === ']') open = open.slice(0, -1)
    }
  }
  for (const found of text.matchAll(STRING)) {
    const [whole, inner = '', end] = found
    const before = text.slice(at, found.index)
    between(before)
    at = found.index + whole.length
    const value = unescaped(inner)
    const isCut = end !== '"'
    const isName = !/:\s*$/.test(before) && (open.endsWith('{') || /^\s*:/.test(text.slice(at, at + 20)))
    if (!isName) put(value)
    else if (!isCut) name = value
  }
  between(text.slice(at))
  return lines.join('\n')
}

/** Decodes the content of a JSON string. Drops an incomplete escape; returns invalid text unchanged. */
function unescaped(inner: string): string {
  try {
    return JSON.parse(`"${inner.replace(/\\u[\da-f]{0,3}$/i, '')}"`) as string
  } catch {
    return inner
  }
}
