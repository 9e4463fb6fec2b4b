import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import type { RequestKind } from '../../../src/shared/event.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { countQueries, planOf } from '../../support/store/counting-reader.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { usageOf } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const DAY = Date.parse('2026-10-01T08:00:00Z')

/** Sessions of a project, told in their drafts. */
const told = (sessions: number, tell: (session: Teller, at: number) => void) =>
  reading(stored(sessions, tell), (reader) => adviceList(reader, { evidence: 500 }).items)

function stored(sessions: number, tell: (session: Teller, at: number) => void): string {
  const { store, dbPath } = openTestStore()
  for (let at = 0; at < sessions; at += 1) {
    const session = new Teller(at)
    tell(session, at)
    store.ingest.append(session.drafts)
  }
  store.ingest.settle()
  return dbPath
}

class Teller {
  readonly drafts: AnyDraft[] = []
  readonly #session: string
  #now: number
  #number = 0

  constructor(at: number) {
    this.#session = `s${at}`
    this.#now = DAY + at * 40_000_000
  }

  wait(seconds: number): void {
    this.#now += seconds * 1000
  }

  answer(input: number, kind: RequestKind = 'loop', searches = 0): void {
    this.#number += 1
    const id = `msg_${this.#session}_${this.#number}`
    const usage = usageOf({ input_tokens: input, output_tokens: 100, web_search_requests: searches })
    this.#add(
      draftOf(
        'api_usage',
        { message_id: id, model: 'claude-opus-4-5', usage, request_kind: kind, basis: 'measured', ttft_ms: null },
        { at: this.#moment(), source: 'wire', keys: [naturalKey.usage(id)] },
      ),
    )
  }

  /** Runs a command; `error`: it failed. */
  run(command: string, error: string | null, rejected = false): void {
    this.#number += 1
    const call = `toolu_${this.#session}_${this.#number}`
    const keys = [naturalKey.call(call)]
    const input = { command }
    this.#add(
      draftOf(
        'tool_call',
        { call_id: call, tool_name: 'Bash', input, message_id: null, index: 0 },
        { at: this.#moment(), keys },
      ),
    )
    const output = error ?? 'fine'
    this.#add(
      draftOf(
        'tool_result',
        { call_id: call, tool_name: 'Bash', output, is_error: error !== null, rejected },
        { at: this.#moment(), success: error === null, error_message: error, keys: [naturalKey.result(call)] },
      ),
    )
  }

  /** The client asks whether it may run a command. */
  ask(command: string): void {
    const to = { tool_name: 'Bash', tool_input: { command } }
    this.#add(draftOf('state_change', { name: 'permission_asked', to }, { at: this.#moment(), source: 'hook' }))
  }

  #add(draft: AnyDraft): void {
    this.drafts.push({ ...draft, session_id: this.#session })
    this.#now += 1000
  }

  #moment = () => new Date(this.#now).toISOString()
}

const LINT = (line: number) => `Exit code 1\nsrc/file-${line}.ts:${line} error "x${line}" is not defined\nmore`

test('a command that fails in the same way in session after session costs the answers to that', () => {
  const items = told(12, (session, at) => {
    session.answer(1000)
    session.run(`cd /work/app && npm run lint -- --file ${at}`, at < 9 ? LINT(at) : null)
    session.answer(20_000)
  })
  expect(items).toMatchObject([
    { kind: 'failing_command', opportunities: 12, headline: expect.stringContaining('npm run lint') },
  ])
  expect(items[0]?.evidence).toHaveLength(9)
  // 9 answers of 20,000 tokens of input and 100 of output.
  expect(items[0]?.usd_per_month).toBeCloseTo(9 * (20_000 * 5 + 100 * 25) * 1e-6, 9)
})

test('what was run, failed and passed is looked up in its own session, never in all of the log', () => {
  const dbPath = stored(12, (session) => {
    session.answer(1000)
    session.run('npm run lint', LINT(1))
    session.answer(20_000)
  })
  const asked: string[] = []
  reading(dbPath, (reader) => {
    const ask = (counting: typeof reader) => adviceList(counting, { evidence: 500 })
    asked.push(...countQueries(reader, ask).texts.filter((sql) => sql.includes('tool_call_rows')))
  })
  expect(asked.some((sql) => sql.includes('r.success, 1'))).toBe(true)
  const db = openReader(dbPath)
  const scans = asked.flatMap((sql) => planOf(db, sql).filter((line) => /^SCAN (?!json_each)/.test(line)))
  db.close()
  expect(scans).toEqual([])
})

test('a command that fails whenever it is run is counted by the sessions that ran it', () => {
  const items = told(40, (session, at) => {
    session.answer(1000)
    if (at < 15) session.run(`npm run lint -- --file ${at}`, at < 12 ? LINT(at) : null)
    session.answer(20_000)
  })
  expect(items).toMatchObject([
    {
      kind: 'failing_command',
      opportunities: 15,
      headline: expect.stringContaining('in 12 of 15 sessions that ran it'),
    },
  ])
})

test('a command that fails each time in another way, or now and then, is work, not waste', () => {
  const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda', 'mu']
  expect(
    told(12, (session, at) => {
      session.run('npm test', `the ${WORDS[at] ?? ''} case is broken`)
      session.answer(20_000)
    }),
  ).toEqual([])
  expect(
    told(12, (session, at) => {
      session.run('npm test', at % 3 === 0 ? 'it is broken' : null)
      session.answer(20_000)
    }),
  ).toEqual([])
})

test('a permission that is always given to a command that only reads: an allow rule, and the minutes of waiting', () => {
  const [item, ...others] = told(12, (session) => {
    session.answer(1000)
    session.ask('npm test -- --bail')
    session.wait(30)
    session.run('npm test -- --bail', null)
  })
  expect(others).toEqual([])
  expect(item).toMatchObject({ kind: 'permissions', opportunities: 12, usd_per_month: 0 })
  expect(item?.minutes_per_month).toBeGreaterThan(5)
  expect(item?.fix?.steps.join(' ')).toContain('Bash(npm test:*)')
})

test('no rule for what changes something, nor for what was refused once', () => {
  const ask = (command: string, isRefused = false) =>
    told(12, (session, at) => {
      session.answer(1000)
      session.ask(command)
      session.wait(30)
      session.run(
        command,
        isRefused && at === 3 ? "The user doesn't want to proceed with this tool use" : null,
        isRefused && at === 3,
      )
    })
  expect(ask('git push origin main')).toEqual([])
  expect(ask('rm -rf build')).toEqual([])
  expect(ask('npm test', true)).toEqual([])
  // The client runs the first without asking; a rule for either would let it write files, too.
  expect(ask('git diff --output=a.txt')).toEqual([])
  expect(ask('eslint . --fix')).toEqual([])
})

test('requests of the client itself cost what they cost; web searches were asked for', () => {
  const items = told(12, (session) => {
    session.answer(10_000)
    session.answer(9000, 'side_call')
  })
  expect(items).toMatchObject([
    { kind: 'unrequested', opportunities: 12, headline: expect.stringContaining('sent 12 other requests') },
  ])
  expect(items[0]?.usd_per_month).toBeCloseTo(12 * (9000 * 5 + 100 * 25) * 1e-6, 9)
  expect(
    told(12, (session) => {
      session.answer(10_000)
      session.answer(9000, 'side_call', 1)
    }),
  ).toEqual([])
})
