import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyEvent, AspyEvent } from '../../shared/event.ts'
import { createSessionLog, sessionLogName } from './session-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-session-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let number = 0
function thinking(sessionId: string, text: string): AspyEvent<'thinking'> {
  number += 1
  return {
    id: number,
    uuid: `event-${number}`,
    session_id: sessionId,
    turn_id: 1,
    seq: number,
    agent_id: null,
    parent_uuid: null,
    kind: 'thinking',
    source: 'wire',
    ts_wall: '2026-11-21T10:00:00.000Z',
    ts_monotonic: 1,
    duration_ms: null,
    success: null,
    error_message: null,
    request_id: null,
    user_id: null,
    project: null,
    schema_version: 1,
    payload: { text, signature_only: false, message_id: 'msg_1', index: 0 },
  }
}

const lines = (name: string) =>
  readFileSync(join(folder, 'logs', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('a line an event, with the type and content that the old jq line asks for', () => {
  const log = createSessionLog(folder)
  log.write([thinking('abc', 'a solarized\ntheme'), thinking('abc', 'more')] satisfies AnyEvent[])
  log.close()
  const found = lines('session-abc.jsonl').filter(
    (line) => line['type'] === 'Thinking' && String(line['content']).includes('solarized'),
  )
  expect(found).toMatchObject([{ content: 'a solarized\ntheme', session_id: 'abc', turn_id: 1 }])
  expect(statSync(join(folder, 'logs', 'session-abc.jsonl')).mode & 0o777).toBe(0o600)
})

test('hostile session ids stay in the folder', () => {
  const log = createSessionLog(folder)
  for (const id of ['../../etc/passwd', '..', '/root/x', 'a\0b', 'x'.repeat(500), 'C:\\windows', '.hidden']) {
    log.write([thinking(id, 'text')])
  }
  log.close()
  expect(log.failed()).toBe(0)
  expect(readdirSync(folder)).toEqual(['logs'])
  const names = readdirSync(join(folder, 'logs'))
  expect(names).toHaveLength(7)
  for (const name of names) expect(name).toMatch(/^session-[\w.-]{1,150}\.jsonl$/)
  expect(sessionLogName('../../x')).not.toContain('..')
})

test('many sessions share a few handles, and each keeps all of its lines', () => {
  const log = createSessionLog(folder)
  for (let round = 0; round < 3; round++) {
    for (let session = 0; session < 40; session++) log.write([thinking(`s${session}`, `round ${round}`)])
  }
  const open = readdirSync('/dev/fd').length
  log.close()
  expect(open - readdirSync('/dev/fd').length).toBeLessThanOrEqual(16)
  for (let session = 0; session < 40; session++) expect(lines(`session-s${session}.jsonl`)).toHaveLength(3)
})

test('a file that cannot be written is counted, and the others go on', () => {
  const log = createSessionLog(folder)
  mkdirSync(join(folder, 'logs', 'session-blocked.jsonl'), { recursive: true })
  log.write([thinking('blocked', 'lost'), thinking('open', 'kept')])
  log.close()
  expect(log.failed()).toBe(1)
  expect(lines('session-open.jsonl')).toHaveLength(1)
})
