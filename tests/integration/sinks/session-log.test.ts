import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { logFilesIn } from '../../../src/main/sinks/log-files.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import {
  look,
  pass,
  startRecorder,
  until,
  type RecorderUnderTest,
  type SentExchange,
} from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest | null = null

beforeEach(() => {
  folder = makeTempFolder('aspy-data-')
})
afterEach(async () => {
  await under?.stop()
  under = null
  folder.remove()
})

const SECRET = 'Operation Quiet Harbour 4711'
const logsOf = (dataDir: string) => logFilesIn(join(dataDir, 'logs')).map(({ file }) => file)

/** Returns all lines of all logs, compressed or not. */
function textOf(dataDir: string, file: string): string {
  const bytes = readFileSync(join(dataDir, 'logs', file))
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

function linesOf(dataDir: string): Record<string, unknown>[] {
  return logsOf(dataDir).flatMap((file) =>
    textOf(dataDir, file)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  )
}

/** Sends a turn with thinking and a tool call, as the client does. */
function turn(session: string, at: number, word = 'plain'): SentExchange[] {
  const id = `toolu_${session}_${at}`
  const prompt = { role: 'user', content: [{ type: 'text', text: `question ${at}, ${word}` }] } as const
  const call = { type: 'tool_use', id, name: 'Bash', input: { command: `echo ${at}` } }
  return [
    {
      session,
      messages: [prompt],
      answer: { steps: [{ thinking: `${word}: try solarized` }, { tool: 'Bash', input: call.input, id }] },
    },
    {
      session,
      messages: [
        prompt,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: `${at}` }] },
      ],
      answer: { steps: [{ text: `answer ${at}, ${word}` }] },
    },
  ]
}

/** Records turns of two sessions with a small file limit, so that logs have several parts. */
async function record(word?: string): Promise<void> {
  under = await startRecorder(folder.path, { config: { session_log: { max_file_bytes: 8000 } } })
  for (let at = 0; at < 6; at++)
    for (const session of ['one', 'two']) for (const sent of turn(session, at, word)) await pass(under.tap, sent)
  await under.settled()
  await until(() => {
    const parts = logsOf(folder.path).filter((file) => !file.endsWith('.jsonl'))
    return parts.length >= 4 && parts.every((file) => file.endsWith('.gz'))
  })
}

/** Returns recorded events without their log position, this run's clock and the blocks of requests. */
const eventsOf = (dataDir: string) =>
  look(dataDir, (db) =>
    db
      .prepare<[], Record<string, unknown>>(
        `SELECT uuid, session_id, turn_id, seq, agent_id, parent_uuid, kind, source, ts_wall, duration_ms, success,
           error_message, request_id, user_id, project, CASE kind WHEN 'model_request' THEN '' ELSE payload END AS payload
         FROM events ORDER BY session_id, turn_id, seq`,
      )
      .all(),
  )

test('the documented jq filter finds a thought', async () => {
  under = await startRecorder(folder.path)
  for (const sent of turn('xyz', 1)) await pass(under.tap, sent)
  await under.settled()
  await under.stop()
  under = null
  const line = `jq 'select(.type == "Thinking") | select(.content | contains("solarized"))' logs/session-xyz.jsonl`
  const readme = readFileSync(join(import.meta.dirname, '../../../docs/sinks.md'), 'utf8')
  expect(readme).toContain(line)
  const found = hasJq()
    ? execFileSync('sh', ['-c', line.replace('jq ', 'jq -c ')], { cwd: folder.path, encoding: 'utf8' })
    : // Without jq, does the same as the filter, which needs the content of every line to be a string.
      linesOf(folder.path)
        .filter(({ type, content }) => type === 'Thinking' && (content as string).includes('solarized'))
        .map((one) => JSON.stringify(one))
        .join('\n')
  expect(JSON.parse(found)).toMatchObject({ type: 'Thinking', content: 'plain: try solarized', session_id: 'xyz' })
  expect(linesOf(folder.path).every(({ content }) => typeof content === 'string')).toBe(true)
})

heavily(test)('importing compressed logs of several parts restores the same events, without duplicates', async () => {
  await record()
  await under?.stop()
  under = null
  const before = eventsOf(folder.path)
  expect(linesOf(folder.path)).toHaveLength(before.length)
  const empty = join(folder.path, 'empty')
  const bring = async (from: string) => {
    const { code, stdout, stderr } = await aspyHere(['import', from, '--json', '--data', empty])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return JSON.parse(stdout) as unknown
  }
  const logs = join(folder.path, 'logs')
  expect(await bring(logs)).toMatchObject({ events_added: before.length, events_known: 0, lines_bad: 0, done: true })
  // Texts over 1 KB would be stored under a hash keyed by data folder; these are shorter.
  expect(eventsOf(empty)).toEqual(before)
  const totals = 'SELECT turn_count, prompts, total_tokens, tool_calls, thinking_blocks FROM sessions ORDER BY id'
  const sessions = (dataDir: string) => look(dataDir, (db) => db.prepare(totals).all())
  expect(sessions(empty)).toEqual(sessions(folder.path))
  expect(await bring(logs)).toMatchObject({ events_added: 0, events_known: before.length, lines_bad: 0 })
  expect(await bring(join(logs, 'session-one.jsonl'))).toMatchObject({ events_added: 0, lines_bad: 0 })
  expect(readdirSync(empty).filter((name) => name.startsWith('.import-'))).toEqual([])

  // The restored store can record more.
  under = await startRecorder(empty)
  for (const sent of turn('one', 7)) await pass(under.tap, sent)
  await under.settled()
  expect(eventsOf(empty).length).toBeGreaterThan(before.length)
})

test('past redaction and session deletion include compressed parts', async () => {
  await record(SECRET)
  const parts = logsOf(folder.path)
  await under?.stop()
  const withSecret = parts.filter((file) => textOf(folder.path, file).includes(SECRET))
  expect(withSecret.length).toBeGreaterThan(1)
  const patterns = [{ name: 'codename', pattern: 'Operation [A-Z][a-z]+ Harbour \\d+' }]
  under = await startRecorder(folder.path, {
    config: { redaction: { patterns }, session_log: { max_file_bytes: 8000 } },
  })
  const done = (await under.recorder.call('redaction.past', {})) as { files: number; files_changed: number }
  expect(done).toMatchObject({ files: parts.length, files_changed: withSecret.length })
  expect(logsOf(folder.path)).toEqual(parts)
  expect(JSON.stringify(linesOf(folder.path))).not.toContain('Quiet Harbour')
  expect(JSON.stringify(linesOf(folder.path))).toContain('[redacted:codename:')
  expect(readdirSync(join(folder.path, 'logs')).toSorted()).toEqual([...parts].toSorted())

  await under.recorder.call('sessions.delete', { session_id: 'one' })
  expect(logsOf(folder.path)).toEqual(parts.filter((file) => file.startsWith('session-two')))
})

test('if logs cannot be written, recording continues and missing lines are counted and reported until writing works again', async () => {
  writeFileSync(join(folder.path, 'logs'), 'a file stands where the folder should be')
  under = await startRecorder(folder.path)
  for (const sent of turn('one', 1)) await pass(under.tap, sent)
  await under.settled()
  await until(() => (under?.health().session_log?.failed ?? 0) > 0)
  const events = eventsOf(folder.path).length
  await until(() => under?.health().session_log?.failed === events)
  expect(under.health()).toMatchObject({ state: 'running', dropped: { session_log: events } })
  expect(under.health().session_log?.problem).toMatch(/EEXIST|ENOTDIR/)
  rmSync(join(folder.path, 'logs'))
  for (const sent of turn('one', 2)) await pass(under.tap, sent)
  await under.settled()
  await until(() => under?.health().session_log?.problem === null)
  expect(existsSync(join(folder.path, 'logs', 'session-one.jsonl'))).toBe(true)
})

test('a full disk leaves no partial line', { skip: !existsSync('/dev/full') }, async () => {
  mkdirSync(join(folder.path, 'logs'))
  const full = join(folder.path, 'logs', 'session-one.jsonl')
  execFileSync('ln', ['-s', '/dev/full', full])
  under = await startRecorder(folder.path)
  for (const sent of [...turn('one', 1), ...turn('two', 1)]) await pass(under.tap, sent)
  await under.settled()
  await until(() => (under?.health().session_log?.failed ?? 0) > 0)
  expect(under.health().session_log?.problem).toMatch(/ENOSPC/)
  expect(eventsOf(folder.path).filter(({ session_id }) => session_id === 'one').length).toBeGreaterThan(5)
  rmSync(full)
  await until(() => linesOf(folder.path).length > 5)
  expect(new Set(linesOf(folder.path).map(({ session_id }) => session_id))).toEqual(new Set(['two']))
})

function hasJq(): boolean {
  try {
    execFileSync('jq', ['--version'])
    return true
  } catch {
    return false
  }
}
