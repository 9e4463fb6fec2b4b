import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { UnpackedChunks } from './unpacked-chunks.ts'

const MEGABYTE = 1 << 20
const folder = mkdtempSync(join(tmpdir(), 'aspy-zstd-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function unpack(packed: Buffer, maxBytes: number): Promise<{ bytes: number; isDamaged: boolean }> {
  const path = join(folder, 'rollout.jsonl.zst')
  writeFileSync(path, packed)
  await using file = await open(path)
  const source = new UnpackedChunks(file, maxBytes)
  let bytes = 0
  for await (const chunk of source.chunks()) bytes += chunk.length
  return { bytes, isDamaged: source.isDamaged }
}

test.each([gzipSync, zstdCompressSync])(
  'a file that unpacks to more than the limit is read up to it: %o',
  async (pack) => {
    const bomb = pack(Buffer.alloc(64 * MEGABYTE))
    expect(bomb.length).toBeLessThan(MEGABYTE / 8)
    const { bytes, isDamaged } = await unpack(bomb, 4 * MEGABYTE)
    expect(isDamaged).toBe(true)
    expect(bytes).toBeLessThanOrEqual(4 * MEGABYTE)
    expect(bytes).toBeGreaterThan(2 * MEGABYTE)
  },
)

test.each([gzipSync, zstdCompressSync])('the limit is that of all frames together: %o', async (pack) => {
  const frame = pack(Buffer.alloc(3 * MEGABYTE))
  expect(await unpack(Buffer.concat([frame, frame]), 7 * MEGABYTE)).toEqual({ bytes: 6 * MEGABYTE, isDamaged: false })
  expect(await unpack(Buffer.concat([frame, frame]), 5 * MEGABYTE)).toMatchObject({ isDamaged: true })
})
