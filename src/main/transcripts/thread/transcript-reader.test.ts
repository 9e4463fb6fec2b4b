import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyDraft } from '../../decode/draft.ts'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import type { Batcher } from './batcher.ts'
import { createTranscriptReader } from './transcript-reader.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-transcript-reader-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lineOf = (uuid: string, parentUuid: string | null, type: string, message: object) =>
  `${JSON.stringify({
    parentUuid,
    isSidechain: false,
    sessionId: '11111111-2222-4333-8444-555555555555',
    version: '2.1.330',
    uuid,
    timestamp: '2026-11-20T10:00:00.000Z',
    type,
    message,
  })}\n`

const CALL = lineOf('00000000-0000-4000-8000-000000000001', null, 'assistant', {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
  stop_reason: 'tool_use',
  usage: { input_tokens: 10, output_tokens: 5 },
})
const RESULT = lineOf('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 'user', {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.ts' }],
})

/** Reads a file once: the drafts of its new lines and the position that it stores at the end. */
async function readOnce(path: string, known?: ImportCheckpoint) {
  const drafts: AnyDraft[] = []
  const noted: ImportCheckpoint[] = []
  let bytes = 0
  const batcher: Batcher = {
    take: (taken) => void drafts.push(...taken),
    unknownField: () => undefined,
    note: (checkpoint) => void noted.push(checkpoint),
    isFull: () => false,
    send: () => Promise.resolve(),
    forget: () => Promise.resolve(),
    discard: () => undefined,
    failure: () => null,
    settled: () => Promise.resolve(),
  }
  const reader = createTranscriptReader({ path, hash: (text) => `${text.length}-${text.slice(-20)}`, known })
  await reader.read({
    batcher,
    isCancelled: () => false,
    onRead: (read) => {
      bytes += read.bytes
    },
  })
  return { drafts, checkpoint: noted.at(-1), bytes }
}

test('a reader that resumes a file knows the call whose result comes next', async () => {
  const path = join(folder, '11111111-2222-4333-8444-555555555555.jsonl')
  writeFileSync(path, CALL)
  const { checkpoint, drafts } = await readOnce(path)
  expect(checkpoint?.offset).toBe(Buffer.byteLength(CALL))
  expect(drafts.filter(({ kind }) => kind === 'tool_call')).toHaveLength(1)
  appendFileSync(path, RESULT)
  const resumed = await readOnce(path, checkpoint)
  expect(resumed.drafts.filter(({ kind }) => kind === 'tool_call')).toEqual([])
  expect(resumed.drafts.filter(({ kind }) => kind === 'tool_result')).toMatchObject([
    { payload: { tool_name: 'Bash' } },
  ])
  expect(resumed.bytes).toBe(Buffer.byteLength(CALL + RESULT))
})
