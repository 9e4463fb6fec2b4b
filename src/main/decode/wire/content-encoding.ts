import zlib from 'node:zlib'
import { finished, type Transform } from 'node:stream'

/**
 * Decodes a body's content-encoding while its bytes arrive. Node decompresses in pieces only asynchronously, so the
 * whole interface is asynchronous. Calls must not overlap: await one before the next.
 */
export interface BodyDecoder {
  /** Returns the bytes that can be read so far. Never rejects. */
  push(bytes: Uint8Array): Promise<Uint8Array[]>
  /** Returns the rest. Never rejects. */
  end(): Promise<Uint8Array[]>
  /**
   * Why the body could not be read further: unknown encoding, corrupt, cut short, too large; null if nothing is wrong.
   */
  readonly error: string | null
}

/** Maximum size of an unpacked body. The rest is dropped, and `error` says so. */
const MAX_DECODED_BYTES = 256 * 1024 * 1024

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
    .reduce<BodyDecoder>((inner, name) => chained(inner, stage(name, maxBytes)), plainDecoder())
}

/** Decodes a whole body. Returns what could be unpacked, and why there is not more. */
export function decodeBody(
  bytes: Uint8Array,
  contentEncoding: string | null,
  maxBytes = MAX_DECODED_BYTES,
): { readonly bytes: Uint8Array; readonly error: string | null } {
  let current = bytes
  const encodings = encodingsOf(contentEncoding)
  if (encodings.length > MAX_ENCODINGS) return { bytes: new Uint8Array(), error: tooMany(encodings) }
  for (const name of encodings.toReversed()) {
    const unpack = UNPACKERS[name]
    if (!unpack) return { bytes: current, error: `content-encoding ${name} is not known` }
    if (current.length === 0) continue
    try {
      current = unpack.whole(current, maxBytes)
    } catch (error) {
      return { bytes: new Uint8Array(), error: messageOf(error) }
    }
  }
  return { bytes: current, error: null }
}

const tooMany = (encodings: readonly string[]) =>
  `the body has ${encodings.length} encodings, more than ${MAX_ENCODINGS}`

function encodingsOf(header: string | null): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
}

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

function isZlib(first: number): boolean {
  return (first & 0x0f) === 8
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function plainDecoder(): BodyDecoder {
  return { push: (bytes) => Promise.resolve([bytes]), end: () => Promise.resolve([]), error: null }
}

function failedDecoder(error: string): BodyDecoder {
  return { push: () => Promise.resolve([]), end: () => Promise.resolve([]), error }
}

function chained(outer: BodyDecoder, inner: BodyDecoder): BodyDecoder {
  async function through(pieces: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const unpacked: Uint8Array[] = []
    for (const piece of pieces) unpacked.push(...(await inner.push(piece)))
    return unpacked
  }
  return {
    push: async (bytes) => through(await outer.push(bytes)),
    end: async () => [...(await through(await outer.end())), ...(await inner.end())],
    get error() {
      return outer.error ?? inner.error
    },
  }
}

function stage(name: string, maxBytes: number): BodyDecoder {
  let stream: Transform | null = null
  let pieces: Uint8Array[] = []
  let unpacked = 0
  let error: string | null = null
  let ended: Promise<void> = Promise.resolve()

  function start(first: number): Transform {
    const created = (UNPACKERS[name] ?? GZIP).stream(first)
    created.on('data', (piece: Buffer) => {
      unpacked += piece.length
      if (unpacked <= maxBytes) pieces.push(piece)
      else {
        error ??= `the body unpacks to more than ${maxBytes} bytes`
        created.destroy()
      }
    })
    ended = new Promise((resolve) => {
      finished(created, (failure) => {
        if (failure && error === null) error = messageOf(failure)
        resolve()
      })
    })
    return created
  }
  const taken = () => {
    const list = pieces
    pieces = []
    return list
  }
  return {
    async push(bytes) {
      if (bytes.length === 0 || error !== null) return []
      const unpacker = (stream ??= start(bytes[0] ?? 0))
      if (unpacker.destroyed || unpacker.writableEnded) return taken()
      // After a failure, the callback of a write may never come; the end of the stream settles it instead.
      await Promise.race([new Promise<void>((resolve) => unpacker.write(bytes, () => resolve())), ended])
      return taken()
    },
    async end() {
      if (stream && !stream.destroyed) stream.end()
      await ended
      return taken()
    },
    get error() {
      return error
    },
  }
}
