import type { FileHandle } from 'node:fs/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'

type Decompressor = ReturnType<typeof createZstdDecompress | typeof createGunzip>

const CHUNK_BYTES = 1024 * 1024
/** A file that unpacks to more is not a rollout: the largest known one has 0.7 GB. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024

/** The first bytes of gzip; anything else is zstd. */
const GZIP = Buffer.from([0x1f, 0x8b])

/** Unpacks a file while it is read: memory does not depend on its size. */
export class UnpackedChunks {
  readonly #file: FileHandle
  readonly #maxBytes: number
  #isDamaged = false
  #unpacked = 0

  constructor(file: FileHandle, maxBytes = MAX_UNPACKED_BYTES) {
    this.#file = file
    this.#maxBytes = maxBytes
  }

  /** True if the file ended early: it is corrupt, cut, or unpacks to too much. The data before that can be read. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Yields the unpacked content. Throws only if the file cannot be read. */
  async *chunks(): AsyncGenerator<Buffer> {
    const { size } = await this.#file.stat()
    let start = 0
    while (start < size && !this.#isDamaged) {
      // A file may consist of several frames; each decompressor reads one.
      const read = yield* this.#frame(start)
      if (read === 0) this.#isDamaged = true
      start += read
    }
  }

  /** Yields one frame and returns its packed size. */
  async *#frame(start: number): AsyncGenerator<Buffer, number> {
    const frame = ((await this.#isGzip(start)) ? createGunzip : createZstdDecompress)({ chunkSize: CHUNK_BYTES })
    const feeding = this.#feed(frame, start)
    try {
      for await (const chunk of frame as AsyncIterable<Buffer>) {
        this.#unpacked += chunk.length
        if (this.#unpacked > this.#maxBytes) throw new Error('it is too large when unpacked')
        yield chunk
      }
    } catch {
      this.#isDamaged = true
    } finally {
      frame.destroy()
      await feeding
    }
    return frame.bytesWritten
  }

  async #isGzip(start: number): Promise<boolean> {
    const { buffer } = await this.#file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, start)
    return buffer.equals(GZIP)
  }

  async #feed(frame: Decompressor, start: number): Promise<void> {
    try {
      await this.#write(frame, start)
    } catch (error) {
      frame.destroy()
      throw error
    }
  }

  /** Writes the file into a decompressor, as fast as that one is read. */
  async #write(frame: Decompressor, start: number): Promise<void> {
    for (let offset = start; !frame.destroyed;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await this.#file.read(buffer, 0, CHUNK_BYTES, offset)
      if (bytesRead === 0) break
      offset += bytesRead
      const isTaken = frame.write(buffer.subarray(0, bytesRead))
      if (!isTaken && !frame.destroyed) await drained(frame)
    }
    if (!frame.destroyed) frame.end()
  }
}

/** Waits until a stream accepts more data, or has ended. */
function drained(stream: Decompressor): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'end'] as const) stream.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'end'] as const) stream.on(event, done)
  })
}
