import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createThreadFiles as createFiles } from '../decode/client/codex/rollouts/thread-files.ts'
import { nodeDisk } from './node-disk.ts'

const createThreadFiles = (path: string) => createFiles(path, nodeDisk)

// UUIDv7 of 2026-11-22, 23:57.
const ROOT = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
const AGENT = '01a205b1-dd7c-7b61-8608-62f9435e56c6'
const NESTED = '01a205b1-ee00-7b61-8608-62f9435e56c6'

let home: string
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'aspy-threads-'))))
afterEach(() => rmSync(home, { recursive: true }))

function rollout(folder: string, thread: string, meta: object = {}, ending = ''): string {
  const path = join(home, folder, `rollout-2026-11-22T23-57-50-${thread}.jsonl${ending}`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify({ type: 'session_meta', payload: { id: thread, ...meta } })}\n`)
  return path
}
const spawnedBy = (parent: string) => ({ source: { subagent: { thread_spawn: { parent_thread_id: parent } } } })

test.each(['sessions/2026/11/22', 'sessions/2026/11/23', 'archived_sessions'])('a thread is found in %s', (folder) => {
  rollout(folder, ROOT)
  const threads = createThreadFiles(rollout('sessions/2026/11/25', AGENT))
  expect([threads.has(ROOT), threads.has(NESTED)]).toEqual([true, false])
})

test('a compressed file is one, too', () => {
  rollout('sessions/2026/11/22', ROOT, {}, '.zst')
  expect(createThreadFiles(rollout('sessions/2026/11/22', AGENT)).has(ROOT)).toBe(true)
})

test('the session of a nested agent is that of the thread at the root', () => {
  rollout('sessions/2026/11/22', ROOT)
  rollout('sessions/2026/11/22', AGENT, spawnedBy(ROOT))
  const threads = createThreadFiles(rollout('sessions/2026/11/22', NESTED, spawnedBy(AGENT)))
  expect([threads.sessionOf(AGENT), threads.sessionOf(NESTED), threads.sessionOf(ROOT)]).toEqual([ROOT, ROOT, ROOT])
})

test('threads that start each other, and names that are no thread, end the search', () => {
  rollout('sessions/2026/11/22', ROOT, spawnedBy(AGENT))
  const threads = createThreadFiles(rollout('sessions/2026/11/22', AGENT, spawnedBy(ROOT)))
  expect([ROOT, AGENT]).toContain(threads.sessionOf(AGENT))
  expect([threads.has('../../etc'), threads.sessionOf('*')]).toEqual([false, null])
})
