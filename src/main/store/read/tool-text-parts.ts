/** Separator between the two parts of a long text, as in the view `tool_texts`. */
const JOINT = ' … '
/** Characters (code points) of the two parts. */
const HEAD = 3000
const TAIL = 1000
/** A line that is cut is dropped if it has at most this many characters, otherwise only its cut word. */
const MAX_OF_LINE = 300
const MAX_OF_WORD = 200

/**
 * Drops the cut words of a long tool text. The index keeps its beginning and its end, which may be cut inside a word, a
 * path or a number, and would then read as a different one.
 */
export function withWholeParts(text: string): string {
  if (text.length < HEAD + JOINT.length + TAIL) return text
  const points = Array.from(text)
  if (points.length !== HEAD + JOINT.length + TAIL) return text
  if (points.slice(HEAD, HEAD + JOINT.length).join('') !== JOINT) return text
  const head = points.slice(0, HEAD).join('')
  const tail = points.slice(HEAD + JOINT.length).join('')
  return `${wholeHead(head)}\n…\n${wholeTail(tail)}`
}

/** Checks whether a text may be one that `withWholeParts` returned for a longer one. */
export const isShortened = (text: string): boolean =>
  text.length > HEAD + TAIL - 2 * MAX_OF_LINE && text.includes('\n…\n')

function wholeHead(head: string): string {
  const line = head.lastIndexOf('\n')
  if (line >= head.length - MAX_OF_LINE && line > 0) return head.slice(0, line)
  const word = head.search(/\s\S*$/)
  return word >= head.length - MAX_OF_WORD ? head.slice(0, word) : head
}

function wholeTail(tail: string): string {
  const line = tail.indexOf('\n')
  if (line >= 0 && line <= MAX_OF_LINE) return tail.slice(line + 1)
  const word = tail.search(/\s/)
  return word >= 0 && word <= MAX_OF_WORD ? tail.slice(word + 1) : tail
}
