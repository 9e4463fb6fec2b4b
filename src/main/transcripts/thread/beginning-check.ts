import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { HEAD_BYTES, isSameContent, TAIL_BYTES } from './file-identity.ts'

/** Compares the beginning of a stream with a file's checkpoint. */
export class BeginningCheck {
  readonly #known: ImportCheckpoint
  readonly #hash: (text: string) => string
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #seen = 0

  constructor(known: ImportCheckpoint, hash: (text: string) => string) {
    this.#known = known
    this.#hash = hash
  }

  /** Passes chunks on and keeps the bytes to compare with the checkpoint. */
  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#note(chunk)
      yield chunk
    }
  }

  /** True if the stream began with the bytes that were read. Ask when all of these have passed. */
  isSame(): boolean {
    if (this.#seen < this.#known.offset) return false
    return isSameContent(this.#known, this.#head.toString('latin1'), this.#tail.toString('latin1'), this.#hash)
  }

  #note(chunk: Buffer): void {
    if (this.#head.length < HEAD_BYTES)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)])
    const wanted = this.#known.offset - this.#seen
    if (wanted > 0) {
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(Math.max(0, wanted - TAIL_BYTES), wanted)]).subarray(
        -TAIL_BYTES,
      )
    }
    this.#seen += chunk.length
  }
}
