import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { BeginningCheck } from './beginning-check.ts'
import { identityOf, isContinued } from './file-identity.ts'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'aspy-file-identity-')), 'file.jsonl')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }))

const hash = (text: string) => `${text.length}-${text}`.replaceAll(':', '')
/** 1000 bytes that differ from place to place. */
const READ = Array.from({ length: 250 }, (_, at) => String(1000 + at)).join('')

/** The file after it was read up to its end. */
async function readUp(): Promise<ImportCheckpoint> {
  writeFileSync(path, READ)
  await using file = await open(path)
  const state = await file.stat()
  const identity = await identityOf(file, state, READ.length, hash)
  return { path, identity, offset: READ.length, size: state.size, mtime_ms: state.mtimeMs }
}

async function isContinuedWith(text: string, known: ImportCheckpoint): Promise<boolean> {
  writeFileSync(path, text)
  await using file = await open(path)
  return await isContinued(file, await file.stat(), known, hash)
}

test('a file goes on if bytes were added, and not if it was cut or its beginning or end changed', async () => {
  const known = await readUp()
  expect(await isContinuedWith(READ, known)).toBe(true)
  expect(await isContinuedWith(`${READ}more`, known)).toBe(true)
  expect(await isContinuedWith(READ.slice(0, -1), known)).toBe(false)
  expect(await isContinuedWith(`x${READ.slice(1)}`, known)).toBe(false)
  expect(await isContinuedWith(`${READ.slice(0, -1)}x more`, known)).toBe(false)
})

test.each(['', '1:2', '1:2:many:a:b:4', '1:2:1000000000000000:a:b:4'])(
  'a checkpoint that cannot be read is of no file: %j',
  async (identity) => {
    const known = await readUp()
    expect(await isContinuedWith(READ, { ...known, identity })).toBe(false)
  },
)

async function isSameStream(text: string, size: number, known: ImportCheckpoint): Promise<boolean> {
  const check = new BeginningCheck(known, hash)
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
  }
  const passed: Buffer[] = []
  for await (const chunk of check.watch(chunks())) passed.push(chunk)
  expect(Buffer.concat(passed).toString()).toBe(text)
  return check.isSame()
}

test.each([7, 64, 300, 999, 1000, 5000])(
  'a stream in chunks of %d bytes is compared with what was read',
  async (size) => {
    const known = await readUp()
    expect(await isSameStream(READ, size, known)).toBe(true)
    expect(await isSameStream(`${READ}and more, as much again: ${READ}`, size, known)).toBe(true)
    expect(await isSameStream(READ.slice(0, -1), size, known)).toBe(false)
    expect(await isSameStream(`x${READ.slice(1)}`, size, known)).toBe(false)
    expect(await isSameStream(`${READ.slice(0, -1)}x`, size, known)).toBe(false)
  },
)
