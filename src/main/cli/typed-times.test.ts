import type { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { z } from 'zod'
import { lastMoment, moment, timesInZone } from '../../shared/contract/fields.ts'
import { OPERATIONS } from '../../shared/contract/index.ts'
import type { Operation } from '../../shared/contract/operation.ts'
import { readWholeTime } from '../../shared/typed-time.ts'
import { readSpan } from '../recall/query-times.ts'
import { inThisZone } from '../../shared/contract/in-this-zone.ts'
import { createProgram } from './program.ts'

/** One meaning of a typed time: eight zones, days of six forms, every operation, command and tool that takes one. */
const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'America/St_Johns',
  // Half an hour of summer time.
  'Australia/Lord_Howe',
  // The clocks change at midnight: a day without one.
  'America/Santiago',
  'Pacific/Kiritimati',
]
/** Days of change in these zones, the ends of months and years, and a day like any other. */
const DAYS = `2026-03-08 2026-11-01 2026-03-29 2026-10-25 2026-04-05 2026-10-04 2026-09-06
  2024-02-29 2025-12-31 2026-01-01 2026-06-17`.split(/\s+/)
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const FORMS: { readonly [form: string]: (year: string, month: string, day: string) => string } = {
  iso: (year, month, day) => `${year}-${month}-${day}`,
  slashes: (year, month, day) => `${year}/${Number(month)}/${Number(day)}`,
  dots: (year, month, day) => `${day}.${month}.${year}`,
  'day first': (year, month, day) => `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`,
  'month first': (year, month, day) => `${MONTHS[Number(month) - 1]?.slice(0, 3)} ${Number(day)}, ${year}`,
  together: (year, month, day) => `${year}${month}${day}`,
}

/** Names of fields that take a time. */
const IS_TIME = /(?:^|_)(?:since|until|before|after|start|end|on)$/
/** Fields of such a name that take something else. */
const NO_TIME = new Set(['files.blame until', 'live.since after', 'notices.session_start start'])

interface TimeField {
  readonly operation: Operation
  readonly schema: z.ZodObject
  readonly field: string
  readonly type: unknown
}
const inner = (type: unknown): unknown => (type instanceof z.ZodOptional ? type.unwrap() : type)
const FIELDS: readonly TimeField[] = OPERATIONS.flatMap((operation: Operation) => {
  const schema = operation.input
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape)
    .filter(([field, type]) => IS_TIME.test(field) || inner(type) === moment || inner(type) === lastMoment)
    .filter(([field]) => !NO_TIME.has(`${operation.name} ${field}`))
    .map(([field, type]) => ({ operation, schema, field, type: inner(type) }))
})
const isEnd = (field: string) => /(?:^|_)(?:until|end)$/.test(field)

/** Reads a typed time as an operation does. */
function read({ schema, field }: TimeField, text: string, tz?: string): string | null {
  const { [field]: typed } = timesInZone(schema, { [field]: text, tz }) as { readonly [name: string]: unknown }
  const parsed = z.safeParse(schema.shape[field] as z.ZodType, typed)
  return parsed.success ? String(parsed.data) : null
}

/** Returns the day that clocks in a zone show. */
const dayIn = (zone: string, ms: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(ms)

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-18T15:30:00Z'), toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe.each(ZONES)('in %s', (zone) => {
  it.each(Object.keys(FORMS))('a day is all of that day, whichever field reads it: %s', (form) => {
    for (const day of DAYS) {
      const [year = '', month = '', date = ''] = day.split('-')
      const text = FORMS[form]?.(year, month, date) ?? ''
      const starts = new Set(FIELDS.filter(({ field }) => !isEnd(field)).map((each) => read(each, text, zone)))
      const ends = new Set(FIELDS.filter(({ field }) => isEnd(field)).map((each) => read(each, text, zone)))
      expect([starts.size, ends.size], text).toEqual([1, 1])
      const from = Date.parse([...starts][0] ?? '')
      const to = Date.parse([...ends][0] ?? '')
      expect([dayIn(zone, from), dayIn(zone, to - 1)], text).toEqual([day, day])
      expect([dayIn(zone, from - 1) < day, dayIn(zone, to) > day], text).toEqual([true, true])
      // The words of a search read it in the same way.
      const searched = readSpan(text, { zone }, false)
      expect([searched?.from, searched?.to], text).toEqual([...starts, ...ends])
    }
  })

  it('weeks, months and years begin and end with a day of the zone, whatever that of the machine', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata')
    for (const [text, first, last] of [
      ['2026-W10', '2026-03-02', '2026-03-08'],
      ['2026-03', '2026-03-01', '2026-03-31'],
      ['2026', '2026-01-01', '2026-12-31'],
      ['yesterday', dayIn(zone, Date.now() - 86_400_000), dayIn(zone, Date.now() - 86_400_000)],
    ] as const) {
      const span = readSpan(text, { zone }, false)
      const [from, to] = [Date.parse(span?.from ?? ''), Date.parse(span?.to ?? '')]
      expect([dayIn(zone, from), dayIn(zone, to - 1)], text).toEqual([first, last])
      expect([dayIn(zone, from - 1) < first, dayIn(zone, to) > last], text).toEqual([true, true])
    }
  })

  it.each([
    '2026-03-29T02:30:00+05:30',
    '2026-03-28T21:00:00Z',
    '2026-03-28 21:00Z',
    '2026-03-29 02:30 +05:30',
    '2026-03-28T11:30-09:30',
  ])('%s is the same instant in every zone', (text) => {
    for (const each of FIELDS) expect(read(each, text, zone)).toBe('2026-03-28T21:00:00.000Z')
  })
})

test.each([
  '2026-02-30',
  '2026/02/30',
  '30.02.2026',
  '31 April 2026',
  'Feb 30, 2026',
  '20260230',
  '2025-02-29',
  '2026-02-30T10:00:00Z',
  '2026-02-30T10:00',
  '2026-02-30 10:00',
  '2026-13-01',
  '2026-00-10',
  '2026-03-00',
  '2026-02-30T10:00:00+02:00',
])('%s is a day that no month has', (text) => {
  expect(FIELDS.map((each) => read(each, text, 'Europe/Berlin'))).toEqual(FIELDS.map(() => null))
})

test.each(['10:15', 'at 9pm', 'noon'])('%s alone is that time today', (text) => {
  const now = Date.parse('2026-10-25T22:00:00.000Z')
  const [alone, dated] = [text, `today ${text}`].map((each) => readWholeTime(each, now, 'Europe/Berlin'))
  expect([alone, alone !== null]).toEqual([dated, true])
})

describe('every field of such a name', () => {
  it('is read by one function, to the edge that its name says, in the zone of its input', () => {
    const wrong = FIELDS.filter(
      ({ schema, field, type }) => type !== (isEnd(field) ? lastMoment : moment) || !('tz' in schema.shape),
    )
    expect(wrong.map(({ operation, field }) => `${operation.name} ${field}`)).toEqual([])
    expect(FIELDS.length).toBeGreaterThan(40)
  })

  it('is of the asking machine, unless the input names a zone', () => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
    for (const { operation } of FIELDS) {
      expect(inThisZone(operation.name, {})).toEqual({ tz: zone })
      expect(inThisZone(operation.name, { tz: 'Asia/Kolkata' })).toEqual({ tz: 'Asia/Kolkata' })
    }
  })

  const commands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(commands)]
  const options = commands(createProgram()).flatMap((command) =>
    command.options
      .filter(({ long, flags }) => IS_TIME.test(long?.slice(2).replaceAll('-', '_') ?? '') || flags.includes('<time>'))
      .filter(({ flags }) => !flags.includes('<minutes>'))
      .map((option) => [command.name(), option] as const),
  )

  it.each(options)('of the command %s is checked as it is typed', (_, option) => {
    const typed = (text: string) => () => option.parseArg?.(text, undefined)
    for (const text of ['2026-02-30', 'soonish', '']) expect(typed(text)).toThrow(/give a date/)
    for (const text of ['2026-03-04', '4 March', '7d', 'yesterday', '2026-03-04T10:00+02:00'])
      expect(typed(text)()).toBe(text)
  })

  const tools = OPERATIONS.flatMap((operation: Operation) => {
    const { mcp } = operation
    if (mcp === undefined || !(mcp.input instanceof z.ZodObject)) return []
    return Object.keys(mcp.input.shape).flatMap((field) =>
      IS_TIME.test(field) ? [[mcp, field, operation] as const] : [],
    )
  })

  it('of a tool is that of its operation', () => {
    expect(tools.length).toBeGreaterThan(5)
    for (const [mcp, field, operation] of tools) {
      const sent = mcp.toInput({ project: 'all', [field]: '4 March' } as never, {
        project: null,
        session: null,
      }) as object
      const [name] = Object.entries(sent).find(([, value]) => value === '4 March') ?? []
      const found = FIELDS.find((each) => each.operation === operation && each.field === name)
      expect([mcp.name, found?.type === (isEnd(field) ? lastMoment : moment)]).toEqual([mcp.name, true])
    }
  })
})
