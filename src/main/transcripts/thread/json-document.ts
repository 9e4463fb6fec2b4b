import type { DocumentParts } from '../../decode/client/transcript-client.ts'
import type { Line, LineBatch } from './read-lines.ts'

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const MAX_KEY_BYTES = 100
/** A longer element is skipped and counted, as a line would be. */
const MAX_ELEMENT_BYTES = 64 * 1024 * 1024

/**
 * Splits a file that is one JSON object into its parts, each as text: the head, then the elements of the list. Reads a chunk
 * at a time, so that memory is bounded by the longest part. Parts are not checked; who decodes them parses them.
 */
export class JsonDocument {
  readonly #parts: DocumentParts
  readonly #maxBytes: number
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Bytes of the name that is read at the top level; null outside of one. */
  #name: number[] | null = null
  #member = ''
  #isValue = false
  #hasList = false
  /** Depth at which the part that is being read ends; 0 outside of one. */
  #partDepth = 0
  #pieces: Buffer[] = []
  #held = 0

  constructor(parts: DocumentParts, maxBytes = MAX_ELEMENT_BYTES) {
    this.#parts = parts
    this.#maxBytes = maxBytes
  }

  /** True if the file is not such an object, or ended inside of it. What came before can be read. */
  get isDamaged(): boolean {
    return this.#depth !== 0 || !this.#hasList
  }

  async *batches(chunks: AsyncIterable<Buffer>): AsyncGenerator<LineBatch> {
    let offset = 0
    for await (const chunk of chunks) {
      const lines = this.#take(chunk, offset)
      offset += chunk.length
      yield { lines, offset, rest: '' }
    }
  }

  #take(chunk: Buffer, offset: number): Line[] {
    const lines: Line[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (this.#isInString) {
        this.#character(byte)
        continue
      }
      if (byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
      const isEnd = byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST
      if (isEnd && this.#partDepth > 0 && this.#partDepth === this.#depth) {
        lines.push({ text: this.#ended(chunk.subarray(from, at)), end: offset + at })
      } else if (!isEnd && this.#partDepth === 0 && this.#isPart()) {
        this.#partDepth = this.#depth
        from = at
      }
      this.#mark(byte)
    }
    if (this.#partDepth > 0) this.#hold(chunk.subarray(from))
    return lines
  }

  #character(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) {
      this.#isInString = false
      if (this.#name !== null) this.#member = Buffer.from(this.#name).toString()
      this.#name = null
      return
    }
    if (this.#name !== null && this.#name.length < MAX_KEY_BYTES) this.#name.push(byte)
  }

  /** Takes a byte outside of texts that means something. */
  #mark(byte: number): void {
    const isTop = this.#depth === 1
    if (byte === QUOTE) {
      this.#isInString = true
      if (isTop && !this.#isValue) this.#name = []
    } else if (byte === COLON) this.#isValue ||= isTop
    else if (byte === COMMA) this.#isValue &&= !isTop
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (byte === OPEN_LIST && isTop && this.#isList()) this.#hasList = true
      this.#depth += 1
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth = Math.max(0, this.#depth - 1)
  }

  #isList(): boolean {
    return this.#isValue && this.#member === this.#parts.list
  }

  /** True if a value that begins here is a part. */
  #isPart(): boolean {
    if (this.#depth === 1) return this.#isValue && this.#member === this.#parts.head
    return this.#depth === 2 && this.#hasList && this.#isList()
  }

  #hold(bytes: Buffer): void {
    this.#held += bytes.length
    // Beyond the limit, only the length is kept: the part is skipped at its end.
    if (this.#held > this.#maxBytes) this.#pieces = []
    // A copy, because the next chunk may overwrite this one.
    else if (bytes.length > 0) this.#pieces.push(Buffer.from(bytes))
  }

  #ended(last: Buffer): string | null {
    const isTooLong = this.#held + last.length > this.#maxBytes
    const text = isTooLong
      ? null
      : Buffer.concat([...this.#pieces, last])
          .toString('utf8')
          .trim()
    this.#pieces = []
    this.#held = 0
    this.#partDepth = 0
    return text
  }
}
