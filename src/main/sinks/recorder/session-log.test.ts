import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { type Config, configSchema } from '../../../shared/config.ts'
import { sessionLogName } from '../log-files.ts'
import { eventOfLine } from './event-of-line.ts'
import { SessionLog } from './session-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-session-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (settings: Partial<Config['session_log']> = {}) =>
  new SessionLog({
    dataDir: folder,
    settings: { ...configSchema.parse({}).session_log, ...settings },
    keysOf: (uuid) => [`key:${uuid}`],
  })

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

test('each event is a line, with the type and content that the documented jq filter expects', () => {
  const log = open()
  log.write([thinking('abc', 'a solarized\ntheme'), thinking('abc', 'more')] satisfies AnyEvent[])
  log.close()
  const found = lines('session-abc.jsonl').filter(
    (line) => line['type'] === 'Thinking' && String(line['content']).includes('solarized'),
  )
  expect(found).toMatchObject([{ content: 'a solarized\ntheme', session_id: 'abc', turn_id: 1 }])
  expect(statSync(join(folder, 'logs', 'session-abc.jsonl')).mode & 0o777).toBe(0o600)
})

test('hostile session ids cannot leave the folder', () => {
  const log = open()
  for (const id of ['../../etc/passwd', '..', '/root/x', 'a\0b', 'x'.repeat(500), 'C:\\windows', '.hidden']) {
    log.write([thinking(id, 'text')])
  }
  log.close()
  expect(log.status().failed).toBe(0)
  expect(readdirSync(folder)).toEqual(['logs'])
  const names = readdirSync(join(folder, 'logs'))
  expect(names).toHaveLength(7)
  for (const name of names) expect(name).toMatch(/^session-[\w.-]{1,150}\.jsonl$/)
  expect(sessionLogName('../../x')).not.toContain('..')
})

test('a log whose mode was changed is private again', () => {
  const before = open()
  before.write([thinking('abc', 'first')])
  before.close()
  const path = join(folder, 'logs', 'session-abc.jsonl')
  chmodSync(path, 0o644)
  const log = open()
  log.write([thinking('abc', 'second')])
  log.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a folder that was removed meanwhile is created again', () => {
  const log = open()
  log.write([thinking('one', 'first')])
  rmSync(join(folder, 'logs'), { recursive: true })
  log.write([thinking('two', 'second')])
  log.close()
  expect(lines('session-two.jsonl')).toHaveLength(1)
  expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700)
})

test('many sessions share a few file handles without losing lines', () => {
  const log = open()
  for (let round = 0; round < 3; round++) {
    for (let session = 0; session < 90; session++) log.write([thinking(`s${session}`, `round ${round}`)])
  }
  const handles = readdirSync('/dev/fd').length
  log.close()
  expect(handles - readdirSync('/dev/fd').length).toBeLessThanOrEqual(64)
  for (let session = 0; session < 90; session++) expect(lines(`session-s${session}.jsonl`)).toHaveLength(3)
})

test('lines of a file that cannot be written are counted; other files continue', () => {
  const log = open()
  mkdirSync(join(folder, 'logs', 'session-blocked.jsonl'), { recursive: true })
  log.write([thinking('blocked', 'lost'), thinking('open', 'kept')])
  log.close()
  expect(log.status().failed).toBe(1)
  expect(lines('session-open.jsonl')).toHaveLength(1)
})

const names = () => readdirSync(join(folder, 'logs')).toSorted()
const textOf = (name: string, unpack: (bytes: Buffer) => Buffer) =>
  unpack(readFileSync(join(folder, 'logs', name))).toString()

test.each([
  ['gzip', '.gz', gunzipSync],
  ['zstd', '.zst', zstdDecompressSync],
  ['none', '', (bytes: Buffer) => bytes],
] as const)(
  'a full log continues in a new file, and the full one is compressed with %s',
  async (compress, ending, unpack) => {
    const log = open({ compress, max_file_bytes: 2000 })
    for (let round = 0; round < 12; round++) log.write([thinking('long', `round ${round} ${'x'.repeat(200)}`)])
    const parts = ['1', '2'].map((part) => `session-long.jsonl.${part}${ending}`)
    await expect.poll(names).toEqual(expect.arrayContaining(['session-long.jsonl', ...parts]))
    // A part stays uncompressed until it is compressed in the background.
    await expect.poll(() => names().every((name) => name === 'session-long.jsonl' || name.endsWith(ending))).toBe(true)
    await expect.poll(() => names().length).toBeLessThan(13)
    const release = await log.hold()
    const all = names().filter((name) => name !== 'session-long.jsonl')
    for (const name of all) expect(statSync(join(folder, 'logs', name)).mode & 0o777).toBe(0o600)
    const rounds = [...all.map((name) => textOf(name, unpack)), textOf('session-long.jsonl', (bytes) => bytes)]
      .join('')
      .matchAll(/round (\d+) /g)
    expect([...rounds].map(([, round]) => Number(round)).toSorted((a, b) => a - b)).toEqual([...Array(12).keys()])
    release()
    log.close()
  },
)

test('a part left uncompressed at exit is compressed later; a partly compressed file is ignored', async () => {
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'logs', 'session-a.jsonl.1'), 'one\n')
  writeFileSync(join(folder, 'logs', 'session-a.jsonl.1.gz.aside'), 'half')
  const log = open()
  log.tidyUp()
  await expect.poll(names).toEqual(['session-a.jsonl.1.gz'])
  expect(textOf('session-a.jsonl.1.gz', gunzipSync)).toBe('one\n')
  log.close()
})

test('while held, no file is rotated and no line is lost', async () => {
  const log = open({ max_file_bytes: 1000, compress: 'none' })
  log.write([thinking('a', 'first')])
  const release = await log.hold()
  for (let round = 0; round < 5; round++) log.write([thinking('a', 'x'.repeat(300))])
  expect(names()).toEqual(['session-a.jsonl'])
  expect(lines('session-a.jsonl')).toHaveLength(6)
  release()
  log.write([thinking('a', 'last')])
  expect(names()).toEqual(['session-a.jsonl', 'session-a.jsonl.1'])
  log.close()
})

test('old files are removed first, then the least recently written, but never the open file', async () => {
  mkdirSync(join(folder, 'logs'))
  const put = (name: string, bytes: number, daysAgo: number) => {
    writeFileSync(join(folder, 'logs', name), 'x'.repeat(bytes))
    const at = Date.now() / 1000 - daysAgo * 86_400
    utimesSync(join(folder, 'logs', name), at, at)
  }
  put('session-old.jsonl', 10, 100)
  put('session-old.jsonl.1.gz', 10, 101)
  put('session-rested.jsonl', 3000, 9)
  put('session-later.jsonl', 3000, 2)
  put('notes-of-mine.txt', 10, 400)
  const log = open({ retention_days: 90, max_total_bytes: 5000 })
  log.write([thinking('now', 'text')])
  log.tidyUp()
  await expect.poll(names).toEqual(['notes-of-mine.txt', 'session-later.jsonl', 'session-now.jsonl'])
  log.close()
})

test('deleting a session removes all files of its log, even one being compressed, and no others', async () => {
  const log = open({ max_file_bytes: 1000 })
  for (const session of ['a', 'a.jsonl.1', 'b'])
    for (let round = 0; round < 9; round++) log.write([thinking(session, 'x'.repeat(300))])
  log.remove('a')
  const release = await log.hold()
  expect(names().filter((name) => /^session-a\.jsonl(\.\d+)?(\.gz)?(\.aside)?$/.test(name))).toEqual([])
  expect(names()).toEqual(expect.arrayContaining(['session-a.jsonl.1.jsonl', 'session-b.jsonl']))
  release()
  log.close()
})

test('a folder that cannot be written is reported until it can be', () => {
  const log = open()
  writeFileSync(join(folder, 'logs'), 'a file is in the way')
  log.write([thinking('a', 'lost')])
  expect(log.status()).toMatchObject({ lines: 0, failed: 1, problem: expect.stringMatching(/EEXIST|ENOTDIR/) })
  rmSync(join(folder, 'logs'))
  log.write([thinking('a', 'kept')])
  expect(log.status()).toMatchObject({ lines: 1, failed: 1, problem: null })
  log.close()
})

test('an event can be restored from its line, except for fields specific to this run', () => {
  const log = open()
  const event = thinking('abc', 'a thought')
  log.write([event])
  log.close()
  const { id: _, ...rest } = event
  expect(eventOfLine(lines('session-abc.jsonl')[0])).toMatchObject({
    event: { ...rest, ts_monotonic: null },
    keys: [`key:${event.uuid}`],
  })
  expect(eventOfLine({ type: 'user', uuid: 'x', message: {} })).toBeNull()
})
