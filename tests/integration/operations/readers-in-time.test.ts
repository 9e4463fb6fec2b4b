import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReaderName } from '../../../src/main/dispatch/handlers.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { answerOf } from '../../../src/main/readers/thread/answer.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

/**
 * Each reader returns its results so far when its time is up, marks them partial, and its next page continues from
 * there.
 */
const ENTRIES = 40

let folder: TempFolder
let db: ReadableDb
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = Array.from({ length: ENTRIES }, (_, at) => {
    const when = `2026-11-20T10:${String(at).padStart(2, '0')}:00.000Z`
    const of = (what: string, more: object = {}) => ({ at: when, uuid: `${what}${at}`, ...more })
    return [
      draftOf('user_prompt', { text: `question ${at}` }, of('p')),
      draftOf(
        'assistant_text',
        { text: `answer ${at}`, message_id: `m${at}`, index: 0 },
        of('a', { parents: [`event:a${at - 1}`] }),
      ),
      draftOf(
        'tool_call',
        { call_id: `c${at}`, tool_name: 'Bash', input: { command: 'ls' }, message_id: `m${at}`, index: 1 },
        of('c', { parents: ['event:p0'], keys: [`call:c${at}`] }),
      ),
      draftOf(
        'tool_result',
        { call_id: `c${at}`, tool_name: 'Bash', output: 'no such file', is_error: true, rejected: false },
        of('r', { duration_ms: 5 + at, keys: [`result:c${at}`] }),
      ),
      draftOf('error', { origin: 'upstream', type: 'overloaded_error', message: 'overloaded', status: 529 }, of('e')),
      draftOf('user_prompt', { text: `elsewhere ${at}` }, of('s', { session_id: `s-${at}` })),
    ]
  })
  db = openReader(fillStore(folder.path, drafts.flat()))
})
afterAll(() => {
  db.close()
  folder.remove()
})

/** Runs an operation as a reader thread does; `ms`: how long it may take. */
function ask(name: ReaderName, input: object, ms: number) {
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  budget.begin(1, ms)
  const handler = readerHandlers[name] as (given: typeof reader, input: unknown) => unknown
  return answerOf(handler as Parameters<typeof answerOf>[0], reader, findOperation(name)?.input.parse(input)) as {
    readonly items: readonly object[]
    readonly next: string | null
    readonly partial?: boolean
  }
}

const PAGED: readonly (readonly [ReaderName, object])[] = [
  ['events.list', { limit: 30 }],
  ['events.list', { limit: 30, session_id: 's1' }],
  ['events.list', { limit: 30, kind: 'tool_call' }],
  ['sessions.events', { limit: 30, session_id: 's1' }],
  ['sessions.timeline', { limit: 30, session_id: 's1' }],
  ['sessions.list', { limit: 30 }],
  ['events.children', { limit: 30, uuid: 'p0' }],
  ['errors.list', { limit: 30 }],
  ['tools.list', { limit: 30 }],
]

test.each(PAGED)('%s %j', (name, input) => {
  const whole = ask(name, input, 60_000)
  expect(whole.items).toHaveLength(30)
  expect(whole.partial).toBeUndefined()
  const first = ask(name, input, -1)
  expect(first).toMatchObject({ partial: true, next: expect.any(String) })
  expect(first.items.length).toBeGreaterThan(0)
  expect(first.items.length).toBeLessThan(30)
  const rest = ask(name, { ...input, cursor: first.next, limit: 30 - first.items.length }, 60_000)
  expect([...first.items, ...rest.items]).toEqual(whole.items)
})

test('scans that skip rows also end in time, and walks report where they were cut', () => {
  expect(ask('sessions.events', { session_id: 's1', kinds: ['compaction'] }, -1)).toMatchObject({
    items: [],
    partial: true,
  })
  expect(ask('sessions.events', { session_id: 's1', kinds: ['compaction'] }, 60_000).partial).toBeUndefined()
  expect(ask('sessions.list', { query: 'nowhere' }, -1)).toMatchObject({ items: [], partial: true })
  expect(ask('stats.slowest', { by: 'tool', session_id: 'none' }, 60_000)).toMatchObject({ items: [] })
  const chain = ask('events.chain', { uuid: `a${ENTRIES - 1}` }, -1)
  expect(chain).toMatchObject({ partial: true, truncated: true })
  expect(chain.items.length).toBeGreaterThan(0)
  expect(ask('events.chain', { uuid: `a${ENTRIES - 1}` }, 60_000)).toMatchObject({ truncated: false })
  expect(ask('events.trace', { uuid: 'p0', down: true }, -1)).toMatchObject({ partial: true })
})
