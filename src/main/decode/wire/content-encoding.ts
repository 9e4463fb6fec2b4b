import zlib from 'node:zlib'
import { finished, type Transform } from 'node:stream'
import { errorMessage } from '../../../shared/error-text.ts'

/**
 * Decodes a body's content-encoding while its bytes arrive. Pieces are unpacked as they are read, so that a
 * decompression bomb takes no memory. Calls must not overlap: read one to its end before the next.
 */
export interface BodyDecoder {
  /** Yields the bytes that can be read so far. Never throws. */
  push(bytes: Uint8Array): AsyncIterable<Uint8Array>
  /** Yields the rest. Never throws. */
  end(): AsyncIterable<Uint8Array>
  /**
   * Why the body could not be read further: unknown encoding, corrupt, cut short, too large; null if nothing is wrong.
   */
  readonly error: string | null
  /** True if the error is that the body unpacks to too much. */
  readonly isTooLarge: boolean
}

/** Maximum size of an unpacked body. The rest is dropped, and `error` says so. The API takes messages of 32 MB. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024

/** Each encoding costs a decompressor. No server applies more than two. */
const MAX_ENCODINGS = 4

/** `contentEncoding` is the header's value: identity, gzip, deflate (zlib or raw), br, zstd, or a list of them. */
export function createBodyDecoder(contentEncoding: string | null, maxBytes = MAX_DECODED_BYTES): BodyDecoder {
  const encodings = encodingsOf(contentEncoding)
  const unknown = encodings.find((name) => !(name in UNPACKERS))
  if (unknown !== undefined) return failedDecoder(`content-encoding ${unknown} is not known`)
  if (encodings.length > MAX_ENCODINGS) return failedDecoder(tooMany(encodings))
  // The last one named was applied last, so it is undone first.
  return encodings
    .toReversed()
    .reduce<BodyDecoder>((inner, name) => chained(inner, new Stage(name, maxBytes)), plainDecoder())
}

/** Decodes a whole body. Returns what could be unpacked, and why there is not more. */
export function decodeBody(
  bytes: Uint8Array,
  contentEncoding: string | null,
  maxBytes = MAX_DECODED_BYTES,
): { readonly bytes: Uint8Array; readonly error: string | null; readonly isTooLarge: boolean } {
  let current = bytes
  const encodings = encodingsOf(contentEncoding)
  if (encodings.length > MAX_ENCODINGS) return { bytes: new Uint8Array(), error: tooMany(encodings), isTooLarge: false }
  for (const name of encodings.toReversed()) {
    const unpack = UNPACKERS[name]
    if (!unpack) return { bytes: current, error: `content-encoding ${name} is not known`, isTooLarge: false }
    if (current.length === 0) continue
    try {
      current = unpack.whole(current, maxBytes)
    } catch (error) {
      const isTooLarge = error instanceof RangeError
      return { bytes: new Uint8Array(), error: isTooLarge ? tooLarge(maxBytes) : errorMessage(error), isTooLarge }
    }
  }
  return { bytes: current, error: null, isTooLarge: false }
}

const tooLarge = (maxBytes: number) => `the body unpacks to more than ${maxBytes} bytes`

const tooMany = (encodings: readonly string[]) =>
  `the body has ${encodings.length} encodings, more than ${MAX_ENCODINGS}`

/** Gateways also name character sets and transfer codings, which change nothing. */
const NO_ENCODING = /^(?:|identity|none|null|binary|utf-?8|(?:aws-)?chunked)$/

const encodingsOf = (header: string | null): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NO_ENCODING.test(name))

interface Unpacker {
  readonly stream: (first: number) => Transform
  readonly whole: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

const GZIP: Unpacker = {
  stream: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  whole: (bytes, maxOutputLength) =>
    zlib.gunzipSync(bytes, { maxOutputLength, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
}
const UNPACKERS: { readonly [name: string]: Unpacker } = {
  gzip: GZIP,
  'x-gzip': GZIP,
  deflate: {
    // Servers differ in whether "deflate" has the zlib header (RFC 1950, method 8 in its first byte) or is bare.
    stream: (first) => (isZlib(first) ? zlib.createInflate() : zlib.createInflateRaw()),
    whole: (bytes, maxOutputLength) =>
      isZlib(bytes[0] ?? 0)
        ? zlib.inflateSync(bytes, { maxOutputLength })
        : zlib.inflateRawSync(bytes, { maxOutputLength }),
  },
  br: {
    stream: () => zlib.createBrotliDecompress(),
    whole: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  },
  zstd: {
    stream: () => zlib.createZstdDecompress(),
    whole: (bytes, maxOutputLength) => zlib.zstdDecompressSync(bytes, { maxOutputLength }),
  },
}

const isZlib = (first: number): boolean => (first & 0x0f) === 8

async function* nothing(): AsyncIterable<Uint8Array> {}

async function* itself(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

const plainDecoder = (): BodyDecoder => ({ push: itself, end: nothing, error: null, isTooLarge: false })

const failedDecoder = (error: string): BodyDecoder => ({ push: nothing, end: nothing, error, isTooLarge: false })

function chained(outer: BodyDecoder, inner: BodyDecoder): BodyDecoder {
  async function* through(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of pieces) yield* inner.push(piece)
  }
  return {
    push: (bytes) => through(outer.push(bytes)),
    async *end() {
      yield* through(outer.end())
      yield* inner.end()
    },
    get error() {
      return outer.error ?? inner.error
    },
    get isTooLarge() {
      return outer.isTooLarge || inner.isTooLarge
    },
  }
}

/** One encoding of a body. Its decompressor waits until its output is read. */
class Stage implements BodyDecoder {
  readonly #name: string
  readonly #maxBytes: number
  #stream: Transform | null = null
  #unpacked = 0
  #error: string | null = null
  #isTooLarge = false
  #ended: Promise<void> = Promise.resolve()
  #wake: () => void = () => undefined

  constructor(name: string, maxBytes: number) {
    this.#name = name
    this.#maxBytes = maxBytes
  }

  get error(): string | null {
    return this.#error
  }

  get isTooLarge(): boolean {
    return this.#isTooLarge
  }

  async *push(bytes: Uint8Array): AsyncIterable<Uint8Array> {
    if (bytes.length === 0 || this.#error !== null) return
    const stream = (this.#stream ??= this.#start(bytes[0] ?? 0))
    if (stream.destroyed || stream.writableEnded) return
    yield* this.#readUntil(stream, new Promise<void>((resolve) => stream.write(bytes, () => resolve())))
  }

  async *end(): AsyncIterable<Uint8Array> {
    const stream = this.#stream
    if (stream === null) return
    if (!stream.destroyed) stream.end()
    yield* this.#readUntil(stream, this.#ended)
  }

  #start(first: number): Transform {
    const created = (UNPACKERS[this.#name] ?? GZIP).stream(first)
    created.on('readable', () => this.#wake())
    this.#ended = new Promise((resolve) => {
      finished(created, (failure) => {
        if (failure) this.#error ??= errorMessage(failure)
        resolve()
      })
    })
    return created
  }

  /** Reads until `isOver` settles. After a failure it may never settle; then the end of the stream stops reading. */
  async *#readUntil(stream: Transform, isOver: Promise<void>): AsyncIterable<Uint8Array> {
    let over = false
    void Promise.race([isOver, this.#ended]).then(() => {
      over = true
      this.#wake()
    })
    for (let last = false; ; last = over) {
      const woken = Promise.withResolvers<void>()
      this.#wake = woken.resolve
      for (let piece: Buffer | null; (piece = stream.read() as Buffer | null) !== null;) {
        this.#unpacked += piece.length
        if (this.#unpacked > this.#maxBytes) {
          this.#isTooLarge = this.#error === null
          this.#error ??= tooLarge(this.#maxBytes)
          stream.destroy()
          return
        }
        yield piece
      }
      if (last) return
      if (!over) await woken.promise
    }
  }
}
