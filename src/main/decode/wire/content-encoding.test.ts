import zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBodyDecoder, decodeBody } from './content-encoding.ts'

const text = 'data: {"type":"ping"}\n\n'.repeat(400) + 'Ende – 終わり'
const plain = Buffer.from(text)
const encoders: { readonly [encoding: string]: (bytes: Buffer) => Buffer } = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  'deflate (raw)': (bytes) => zlib.deflateRawSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  'gzip, br': (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes)),
  ' X-GZIP ': (bytes) => zlib.gzipSync(bytes),
}
const headerOf = (name: string) => name.replace(' (raw)', '')

async function unpack(encoding: string | null, pieces: readonly Uint8Array[], maxBytes?: number) {
  const decoder = createBodyDecoder(encoding, maxBytes)
  const unpacked: Uint8Array[] = []
  for (const piece of pieces) for await (const part of decoder.push(piece)) unpacked.push(part)
  for await (const part of decoder.end()) unpacked.push(part)
  return { text: Buffer.concat(unpacked).toString(), bytes: Buffer.concat(unpacked).length, error: decoder.error }
}

function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i] ?? 0, end))
}

describe('a body in pieces', () => {
  test.each(Object.keys(encoders))('%s comes out whole, wherever it is cut', async (name) => {
    const packed = encoders[name]?.(plain) ?? Buffer.alloc(0)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 6 }), async (places) => {
        expect(await unpack(headerOf(name), cut(packed, places))).toMatchObject({ text, error: null })
      }),
      { numRuns: 25 },
    )
    expect(Buffer.from(decodeBody(packed, headerOf(name)).bytes).toString()).toBe(text)
  })

  test('can be read before its end', async () => {
    for (const create of [zlib.createGzip, zlib.createBrotliCompress, zlib.createZstdCompress]) {
      const stream = create()
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.write('the first words')
      await new Promise<void>((resolve) => stream.flush(() => resolve()))
      const encoding = create === zlib.createGzip ? 'gzip' : create === zlib.createBrotliCompress ? 'br' : 'zstd'
      const decoder = createBodyDecoder(encoding)
      const got = await Array.fromAsync(decoder.push(Buffer.concat(pieces)))
      expect(Buffer.concat(got).toString()).toBe('the first words')
      stream.destroy()
      await Array.fromAsync(decoder.end())
    }
  })
})

describe('a body that is broken', () => {
  test.each([
    ['gzip', null],
    ['deflate', expect.any(String)],
    ['br', expect.any(String)],
    ['zstd', expect.any(String)],
  ])('%s cut short gives what was there, with the error %o, and never throws', async (name, error) => {
    const noise = Buffer.from(
      Array.from({ length: 400_000 }, (_, i) => 65 + ((Math.imul(i, 2_654_435_761) >>> 11) % 23)),
    )
    const packed = encoders[name]?.(noise) ?? Buffer.alloc(0)
    const half = await unpack(name, cut(packed.subarray(0, packed.length / 2), [3000]))
    expect(half.bytes).toBeGreaterThan(1000)
    expect(half.bytes).toBeLessThan(noise.length)
    expect(half.error).toEqual(error)
  })

  test('bytes that are not what the header says become an error', async () => {
    for (const name of ['gzip', 'br', 'zstd', 'deflate']) {
      const result = await unpack(name, [Buffer.from('\xff\xfenot packed at all')])
      expect(result.error).not.toBeNull()
      expect(decodeBody(Buffer.from('\xff\xfenot packed at all'), name).error).not.toBeNull()
    }
  })

  test('an unknown encoding is named', async () => {
    expect(await unpack('utf-8, aws-chunked', [plain])).toMatchObject({ error: null, bytes: plain.length })
    expect(await unpack('lzma', [plain])).toEqual({ text: '', bytes: 0, error: 'content-encoding lzma is not known' })
    expect(decodeBody(plain, 'gzip, lzma').error).toBe('content-encoding lzma is not known')
  })

  test('a bomb is stopped at the limit', async () => {
    const bomb = Buffer.alloc(4 * 1024 * 1024)
    for (const name of ['gzip', 'br', 'zstd']) {
      const result = await unpack(name, [encoders[name]?.(bomb) ?? bomb], 100_000)
      expect(result.bytes).toBeLessThanOrEqual(100_000)
      expect(result.error).toContain('unpacks to more than 100000 bytes')
      const whole = decodeBody(encoders[name]?.(bomb) ?? bomb, name, 100_000)
      expect(whole).toMatchObject({ error: 'the body unpacks to more than 100000 bytes', isTooLarge: true })
    }
  })
})

test('a body of very many encodings is not unpacked', async () => {
  const header = Array.from({ length: 1000 }, () => 'gzip').join(', ')
  const packed = zlib.gzipSync(plain)
  expect(await unpack(header, [packed])).toMatchObject({ bytes: 0, error: 'the body has 1000 encodings, more than 4' })
  expect(decodeBody(packed, header).error).toBe('the body has 1000 encodings, more than 4')
})
