import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseInput } from '../../../src/main/dispatch/parse-input.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { lastMoment, moment } from '../../../src/shared/contract/fields.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** The first moment of 8 March 2026, and the first one after it. In two zones, clocks go forward on that day. */
const DAY: readonly (readonly [zone: string, from: string, to: string])[] = [
  ['UTC', '2026-03-08T00:00', '2026-03-09T00:00'],
  ['America/New_York', '2026-03-08T05:00', '2026-03-09T04:00'],
  ['America/St_Johns', '2026-03-08T03:30', '2026-03-09T02:30'],
  ['Europe/Berlin', '2026-03-07T23:00', '2026-03-08T23:00'],
  ['Asia/Kolkata', '2026-03-07T18:30', '2026-03-08T18:30'],
  ['Asia/Tokyo', '2026-03-07T15:00', '2026-03-08T15:00'],
  ['Pacific/Auckland', '2026-03-07T11:00', '2026-03-08T11:00'],
  ['Pacific/Honolulu', '2026-03-08T10:00', '2026-03-09T10:00'],
]
const FORMS = ['2026-03-08', '08.03.2026', '8 March 2026', 'Mar 8, 2026', '2026/3/8', '20260308']
const iso = (minute: string) => `${minute}:00.000Z`

/** All fields of operations that take a time, with the edge of a day that each means. */
const FIELDS = OPERATIONS.flatMap((operation) =>
  operation.input instanceof z.ZodObject
    ? Object.entries(operation.input.shape).flatMap(([name, field]) => {
        const type: unknown = field instanceof z.ZodOptional ? field.unwrap() : field
        return type === moment || type === lastMoment ? [{ operation, name, isEnd: type === lastMoment }] : []
      })
    : [],
)
/** Moments at and just before both ends of the days. */
const TIMES = [
  ...new Set(
    DAY.flatMap(([, from, to]) => [from, to]).flatMap((minute) => [
      Date.parse(iso(minute)) - 1,
      Date.parse(iso(minute)),
    ]),
  ),
]

/** Fields that a request needs besides its times. */
const NEEDED = { session_id: 's', query: 'a', uuid: 'u', month: '2026-03', exchanges: [], sessions: [] }

function parsed(operation: (typeof OPERATIONS)[number], input: object): { readonly [name: string]: unknown } {
  const shape = operation.input instanceof z.ZodObject ? operation.input.shape : {}
  const needed = Object.entries(NEEDED).filter(([name]) => name in shape && !(name in input))
  return parseInput(operation, { ...Object.fromEntries(needed), ...input }) as { readonly [name: string]: unknown }
}

test('a date is a day in the time zone of the request, in every form and every operation', () => {
  const wrong = FIELDS.flatMap(({ operation, name, isEnd }) =>
    DAY.flatMap(([zone, from, to]) =>
      FORMS.flatMap((form) => {
        const read = parsed(operation, { [name]: form, tz: zone })[name]
        return read === iso(isEnd ? to : from) ? [] : [`${operation.name} ${name} ${form} ${zone}: ${String(read)}`]
      }),
    ),
  )
  expect(FIELDS.length).toBeGreaterThan(30)
  expect(wrong).toEqual([])
})

test('the end of a stretch includes the day, week or month that it names', () => {
  const ends = FIELDS.filter(({ name }) => name === 'until')
  expect(ends.flatMap(({ operation, isEnd }) => (isEnd ? [] : [operation.name]))).toEqual([])
  const until = (text: string) => parsed(recallSearch, { until: text, tz: 'Asia/Tokyo' })['until']
  expect(until('2026-W10')).toBe('2026-03-08T15:00:00.000Z')
  expect(until('2026-03')).toBe('2026-03-31T15:00:00.000Z')
  expect(until('2026-03-08T10:00')).toBe('2026-03-08T01:00:00.000Z')
  expect(until('8 March 2026 10:00')).toBe('2026-03-08T01:00:00.000Z')
})

test('a time with an offset is that moment in every time zone, and an unknown zone is refused', () => {
  for (const [zone] of DAY)
    expect(parsed(recallSearch, { since: '2026-03-08T10:00+02:00', tz: zone })['since']).toBe(
      '2026-03-08T08:00:00.000Z',
    )
  expect(() => parsed(recallSearch, { since: '2026-03-08', tz: 'Middle/Earth' })).toThrow(/tz: .*Europe\/Berlin/)
})

/** Asks operations of a store with a session for each of the moments. */
function asking(folder: string) {
  const drafts = TIMES.flatMap((time) => {
    const at = { at: new Date(time).toISOString(), session_id: `s${time}` }
    const [call_id, tool_name, index] = [`c${time}`, 'Bash', 0]
    return [
      draftOf('user_prompt', { text: 'kestrel' }, { ...at, uuid: `${time}`, keys: [`${time}`] }),
      draftOf('tool_call', { call_id, tool_name, input: {}, message_id: null, index }, { ...at, keys: [call_id] }),
      draftOf('tool_result', { call_id, tool_name, output: 'gone', is_error: true, rejected: false }, at),
    ]
  })
  const db = openReader(fillStore(folder, drafts))
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  const reader = createReader(db, budget)
  return {
    ask<Name extends keyof typeof readerHandlers>(name: Name, input: object): unknown {
      const operation = OPERATIONS.find((one) => one.name === name) as (typeof OPERATIONS)[number]
      budget.begin(1, 20_000)
      return (readerHandlers[name] as (...all: readonly unknown[]) => unknown)(reader, parseInput(operation, input))
    },
    [Symbol.dispose]: () => db.close(),
  }
}
type Asking = ReturnType<typeof asking>
const within = (from: string, to: string) =>
  TIMES.map((time) => new Date(time).toISOString())
    .filter((at) => at >= iso(from) && at < iso(to))
    .sort()

/** Returns the moments of what a list has, in order. */
function momentsOf(asked: Asking, name: keyof typeof readerHandlers, input: object): readonly string[] {
  const { items } = asked.ask(name, { limit: 100, ...input }) as { items: readonly { [field: string]: string }[] }
  return [...new Set(items.map((item) => item['timestamp'] ?? item['ts_wall'] ?? item['started_at'] ?? ''))].sort()
}

test('filters of a search mean the same days as its arguments', () => {
  using folder = makeTempFolder()
  using asked = asking(folder.path)
  const found = (input: object) => momentsOf(asked, 'recall.search', { counts: false, ...input })
  for (const [zone, from, to] of DAY) {
    const right = within(from, to)
    for (const form of FORMS) {
      expect(found({ query: 'kestrel', since: form, until: form, tz: zone })).toEqual(right)
      expect(found({ query: `kestrel on:"${form}"`, tz: zone })).toEqual(right)
      expect(found({ query: `kestrel since:"${form}" until:"${form}"`, tz: zone })).toEqual(right)
    }
  }
})

test('every list has what happened on a day, and nothing of the next', () => {
  using folder = makeTempFolder()
  using asked = asking(folder.path)
  const lists = [
    ['events.recent', {}],
    ['events.recent', { project: '/work/app' }],
    ['sessions.list', {}],
    ['tools.list', {}],
    ['errors.list', { tools: true }],
    ['prompts.search', { query: 'kestrel' }],
  ] as const
  for (const [zone, from, to] of DAY)
    for (const [name, input] of lists) {
      const day = { since: '2026-03-08', until: '8 March 2026', tz: zone }
      expect([name, zone, momentsOf(asked, name, { ...input, ...day })]).toEqual([name, zone, within(from, to)])
    }
})

test.for(DAY)('the totals of a day in %s have its calls of tools, and none of the next day', ([zone, from, to]) => {
  using folder = makeTempFolder()
  using asked = asking(folder.path)
  const calls = within(from, to).length
  const bash = { tool: 'Bash', calls, failed: calls, rejected: 0, success_rate: 0 }
  const day = { since: '2026-03-08', until: '2026-03-08', tz: zone }
  expect(asked.ask('stats.summary', day)).toMatchObject({ by_tool: [bash], total_tool_calls: calls })
  // Open ranges, and whole days between parts of days.
  const until = within('2026-03-01T00:00', to).length
  const since = within(from, '2026-03-20T00:00').length
  expect(asked.ask('stats.summary', { until: '2026-03-08', tz: zone })).toMatchObject({ by_tool: [{ calls: until }] })
  expect(asked.ask('stats.summary', { since: '2026-03-08', tz: zone })).toMatchObject({ by_tool: [{ calls: since }] })
  const week = asked.ask('stats.summary', { since: '2026-03-05', until: '2026-03-12', tz: zone })
  expect(week).toMatchObject({ by_tool: [{ calls: TIMES.length, failed: TIMES.length }] })
})
