import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendFrame, assertFrame, encodeFrame, frameTexts, readBytes } from './archive-file.ts'

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a frame follows the counted bytes, and what an interrupted run left after them is gone', () => {
  const path = join(emptyFolder(), 'deep', '2026-05.jsonl.zst')
  const [one, two] = ['one', 'two'].map((hash) => encodeFrame([{ contents: { [hash]: 'text' } }])) as [Buffer, Buffer]
  appendFrame(path, 0, one)
  writeFileSync(path, Buffer.concat([one, Buffer.alloc(5000, 'x')]))
  appendFrame(path, one.length, two)
  expect(readFileSync(path)).toEqual(Buffer.concat([one, two]))
  expect(frameTexts(readBytes(path, one.length, two.length))).toEqual(['{"contents":{"two":"text"}}'])
  appendFrame(path, 0, two)
  expect(readFileSync(path)).toEqual(two)
})

test('a frame that is not there as it was written is an error', () => {
  const path = join(emptyFolder(), '2026-05.jsonl.zst')
  const frame = encodeFrame([{ aspy_archive: 1, month: '2026-05' }])
  appendFrame(path, 0, frame)
  expect(() => assertFrame(path, 0, frame)).not.toThrow()
  const damaged = Buffer.from(frame)
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
  writeFileSync(path, damaged)
  expect(() => assertFrame(path, 0, frame)).toThrow('does not contain what was written')
  expect(() => readBytes(path, 0, frame.length + 1)).toThrow('truncated')
})
