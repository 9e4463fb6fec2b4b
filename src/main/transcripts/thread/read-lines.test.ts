import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLines, splitLines } from './read-lines.ts'
import type { ReadLinesOptions } from './read-lines.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-read-lines-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function read(content: string, options?: ReadLinesOptions) {
  const path = join(folder, 'file.jsonl')
  writeFileSync(path, content)
  const all = { lines: [] as string[], ends: [] as number[], skipped: 0, offset: 0, rest: '' }
  const file = await open(path, 'r')
  for await (const { lines, offset, rest } of readLines(file, options)) {
    all.lines.push(...lines.flatMap(({ text }) => text ?? []))
    all.ends.push(...lines.map(({ end }) => end))
    all.skipped += lines.filter(({ text }) => text === null).length
    all.offset = offset
    all.rest = rest
  }
  await file.close()
  return all
}

test('BOM, CRLF, empty lines and a last line without its end', async () => {
  expect(await read('\uFEFF{"a":1}\r\n\r\n\n{"b":2}\n{"cut')).toEqual({
    lines: ['{"a":1}', '{"b":2}'],
    ends: [12, 23],
    skipped: 0,
    offset: 28,
    rest: '{"cut',
  })
})

test('characters and lines cut at every place of a chunk stay whole', async () => {
  const content = 'ä\u{1F600}\r\nx\n\n日本語 line\n'
  for (let chunkBytes = 1; chunkBytes <= 20; chunkBytes++) {
    const { lines } = await read(content, { chunkBytes })
    expect(lines).toEqual(['ä\u{1F600}', 'x', '日本語 line'])
  }
})

test('a line of 7 MB comes whole', async () => {
  const long = 'y'.repeat(7 * 1024 * 1024)
  const { lines } = await read(`a\n${long}\nb\n`)
  expect(lines.map((line) => line.length)).toEqual([1, long.length, 1])
})

test('a line past the bound is skipped and counted, its neighbours come', async () => {
  const options = { maxLineBytes: 10, chunkBytes: 4 }
  expect(await read(`short\n${'z'.repeat(11)}\nalso\n${'z'.repeat(30)}\n`, options)).toMatchObject({
    lines: ['short', 'also'],
    skipped: 2,
  })
  expect(await read(`${'z'.repeat(10)}\n`, options)).toMatchObject({ lines: ['z'.repeat(10)], skipped: 0 })
})

test('a file read on from the end of a line', async () => {
  const content = '\uFEFFä\n\nsecond\nthird\n'
  const { ends } = await read(content)
  const from = ends[0] ?? 0
  for (let chunkBytes = 1; chunkBytes <= 20; chunkBytes++) {
    expect(await read(content, { from, chunkBytes })).toMatchObject({ lines: ['second', 'third'], ends: ends.slice(1) })
  }
})

test('a line over the limit takes no memory, however long it is', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  async function* endless() {
    for (let at = 0; at < 300; at += 1) yield chunk
    yield Buffer.from('\n{"b":2}\n')
  }
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const lines: (string | null)[] = []
  for await (const batch of splitLines(endless(), { maxLineBytes: 2 * 1024 * 1024 })) {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    lines.push(...batch.lines.map(({ text }) => text))
  }
  expect(lines).toEqual([null, '{"b":2}'])
  expect(most).toBeLessThan(20 * 1024 * 1024)
})
