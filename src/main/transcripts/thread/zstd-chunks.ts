import type { FileHandle } from 'node:fs/promises'
import { createZstdDecompress } from 'node:zlib'

const CHUNK_BYTES = 1024 * 1024
/** A file that unpacks to more is not a rollout: the largest known one has 0.7 GB. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024

/** Unpacks a file while it is read: memory does not depend on its size. */
export class ZstdChunks {
  readonly #file: FileHandle
  readonly #maxBytes: number
  #isDamaged = false

  constructor(file: FileHandle, maxBytes = MAX_UNPACKED_BYTES) {
    this.#file = file
    this.#maxBytes = maxBytes
  }

  /** True if the file ended early: it is corrupt, cut, or unpacks to too much. What came before can be read. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Yields what the file holds. Throws only if the file cannot be read. */
  async *chunks(): AsyncGenerator<Buffer> {
    const { size } = await this.#file.stat()
    let start = 0
    let unpacked = 0
    while (start < size && !this.#isDamaged) {
      const frame = createZstdDecompress({ chunkSize: CHUNK_BYTES })
      const packed = this.#file.createReadStream({ start, autoClose: false, highWaterMark: CHUNK_BYTES })
      let readError: Error | null = null
      packed.on('error', (error) => {
        readError = error
        frame.destroy()
      })
      packed.pipe(frame)
      try {
        for await (const chunk of frame) {
          unpacked += (chunk as Buffer).length
          if (unpacked > this.#maxBytes) throw new Error('it unpacks to too much')
          yield chunk as Buffer
        }
      } catch {
        this.#isDamaged = true
      } finally {
        packed.destroy()
        frame.destroy()
      }
      if (readError !== null) throw readError
      // A file may consist of several frames; each decompressor reads one.
      if (frame.bytesWritten === 0) this.#isDamaged = true
      start += frame.bytesWritten
    }
  }
}
