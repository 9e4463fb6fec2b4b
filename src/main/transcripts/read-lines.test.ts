import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLines } from './read-lines.ts'
import type { ReadLinesOptions } from './read-lines.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-read-lines-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function read(content: string, options?: ReadLinesOptions) {
  const path = join(folder, 'file.jsonl')
  writeFileSync(path, content)
  const all = { lines: [] as string[], skipped: 0, offset: 0 }
  for await (const { lines, skipped, offset } of readLines(path, options)) {
    all.lines.push(...lines)
    all.skipped += skipped
    all.offset = offset
  }
  return all
}

test('BOM, CRLF, empty lines and a last line without its end', async () => {
  expect(await read('\uFEFF{"a":1}\r\n\r\n\n{"b":2}\n{"cut')).toEqual({
    lines: ['{"a":1}', '{"b":2}', '{"cut'],
    skipped: 0,
    offset: 28,
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
  expect(await read(`short\n${'z'.repeat(11)}\nalso\n${'z'.repeat(30)}`, options)).toMatchObject({
    lines: ['short', 'also'],
    skipped: 2,
  })
  expect(await read(`${'z'.repeat(10)}\n`, options)).toMatchObject({ lines: ['z'.repeat(10)], skipped: 0 })
})
