import { expect, test } from 'vitest'
import { readTypedTime, readWholeTime } from './typed-time.ts'

/** A Wednesday. */
const NOW = new Date(2026, 10, 18, 15, 30).getTime()
const day = (year: number, month: number, date: number) => ({
  from: new Date(year, month - 1, date).getTime(),
  to: new Date(year, month - 1, date + 1).getTime(),
})
const span = (text: string) => readTypedTime(text, NOW)?.span ?? null

test.each([
  '2026-03-04',
  '2026/3/4',
  '04.03.2026',
  '4.3.2026',
  '03/04/2026',
  '4 March',
  '4 march 2026',
  '4th of March',
  'March 4',
  'Mar 4th, 2026',
  '4. Mar',
  '4.3.',
  '04.03.26',
  '3/4/26',
  '20260304',
  '4-Mar-2026',
  'Wed, 04 Mar 2026',
  'Wednesday March 4',
  '2026年3月4日',
])('%s is the fourth of March', (text) => expect(span(text)).toEqual(day(2026, 3, 4)))

test('a date without a year is the last such day, and impossible dates are none', () => {
  expect(span('24 December')).toEqual(day(2025, 12, 24))
  expect(span('25/12/2025')).toEqual(day(2025, 12, 25))
  expect(span('2026-02-30')).toBeNull()
  expect(span('32.01.2026')).toBeNull()
  expect(span('never')).toBeNull()
  expect(span('marching')).toBeNull()
})

test('words name days, weeks, months and years before now', () => {
  expect(span('yesterday')).toEqual(day(2026, 11, 17))
  expect(span('today')).toEqual(day(2026, 11, 18))
  expect(span('last Tuesday')).toEqual(day(2026, 11, 17))
  expect(span('Wednesday')).toEqual(day(2026, 11, 11))
  expect(span('last week')).toEqual({ from: new Date(2026, 10, 9).getTime(), to: new Date(2026, 10, 16).getTime() })
  expect(span('last month')).toEqual({ from: new Date(2026, 9, 1).getTime(), to: new Date(2026, 10, 1).getTime() })
  expect(span('December')).toEqual({ from: new Date(2025, 11, 1).getTime(), to: new Date(2026, 0, 1).getTime() })
  expect(span('2025')).toEqual({ from: new Date(2025, 0, 1).getTime(), to: new Date(2026, 0, 1).getTime() })
  expect(span('2026-03')).toEqual({ from: new Date(2026, 2, 1).getTime(), to: new Date(2026, 3, 1).getTime() })
})

test('weeks are counted as ISO 8601 does, from Monday', () => {
  const week = (year: number, month: number, date: number) => ({
    from: new Date(year, month - 1, date).getTime(),
    to: new Date(year, month - 1, date + 7).getTime(),
  })
  expect(span('2026-W10')).toEqual(week(2026, 3, 2))
  expect(span('2026w01')).toEqual(week(2025, 12, 29))
  expect(span('2020-W53')).toEqual(week(2020, 12, 28))
  expect(span('2021-W53')).toBeNull()
  expect(span('2026-W00')).toBeNull()
  expect(span('week 50')).toEqual(week(2025, 12, 8))
})

test('a time of the day follows a day in any of its forms, and no other words', () => {
  const at = (date: number, hours: number, minutes = 0) => {
    const time = new Date(2026, 10, date, hours, minutes).getTime()
    return { from: time, to: time }
  }
  for (const text of ['yesterday at 2pm', 'yesterday 2 pm', '17 Nov 2:00 p.m.', 'Tuesday 14:00', 'a day ago at 14:00'])
    expect([text, span(text)]).toEqual([text, at(17, 14)])
  expect(span('15 November 2026 12am')).toEqual(at(15, 0))
  expect(span('3 days ago 12:30 pm')).toEqual(at(15, 12, 30))
  expect(readTypedTime('yesterday 13pm', NOW)?.length).toBe('yesterday'.length)
  const utc = Date.parse('2026-03-04T10:15Z')
  expect(span('2026-03-04 10:15 UTC')).toEqual({ from: utc, to: utc })
})

test('months, days of weeks and quarters in ISO order; no month is the zeroth', () => {
  expect(span('2026-W10-3')).toEqual(day(2026, 3, 4))
  expect(span('2026 W10')).toEqual(span('2026-W10'))
  expect(span('2026-Q1')).toEqual(span('Q1 2026'))
  for (const none of ['2026-00', '00/2026', '2026-13', '2026-W10-8', '2026-Q5']) expect(span(none)).toBeNull()
})

test('more forms that people write', () => {
  const month = (year: number, first: number, count = 1) => ({
    from: new Date(year, first - 1).getTime(),
    to: new Date(year, first - 1 + count).getTime(),
  })
  expect(span('march 2026')).toEqual(month(2026, 3))
  expect(span("Mar '26")).toEqual(month(2026, 3))
  expect(span('03/2026')).toEqual(month(2026, 3))
  expect(span('Q2 2026')).toEqual(month(2026, 4, 3))
  expect(span('29 Feb')).toEqual(day(2024, 2, 29))
  expect(span('the day before yesterday')).toEqual(day(2026, 11, 16))
  expect(span('last night')).toEqual(day(2026, 11, 17))
  expect(span('this morning')).toEqual(day(2026, 11, 18))
  expect(span('last weekend')).toEqual({ from: day(2026, 11, 14).from, to: day(2026, 11, 15).to })
})

test('a time of the day makes a date a moment', () => {
  const at = (time: number) => ({ from: time, to: time })
  expect(span('yesterday at 14:05')).toEqual(at(new Date(2026, 10, 17, 14, 5).getTime()))
  expect(span('2026-03-04 10:00')).toEqual(at(new Date(2026, 2, 4, 10).getTime()))
  expect(span('4 March 23:59:58')).toEqual(at(new Date(2026, 2, 4, 23, 59, 58).getTime()))
  expect(span('2026-03-04 10:00+02:00')).toEqual(at(Date.UTC(2026, 2, 4, 8)))
  expect(span('2026-03-04 10:00Z')).toEqual(at(Date.UTC(2026, 2, 4, 10)))
  for (const [text, hour] of [
    ['2026-03-04 10:15 CET', 9],
    ['4 March 2026 10:15 cest', 8],
    ['04.03.2026, 10:15 PST', 18],
  ] as const)
    expect(span(text), text).toEqual(at(Date.UTC(2026, 2, 4, hour, 15)))
  expect(span('4 March 2026 2:30 pm +0530')).toEqual(at(Date.UTC(2026, 2, 4, 9)))
  expect(span('2026-03-04 10:00:01.5Z')).toEqual(at(Date.UTC(2026, 2, 4, 10, 0, 1, 500)))
  expect(readTypedTime('2026-03-04 10:15 cetacean', NOW)?.length).toBe('2026-03-04 10:15'.length)
  expect(readTypedTime('yesterday 25:00', NOW)?.length).toBe('yesterday'.length)
  expect(readTypedTime('last week 10:00', NOW)?.length).toBe('last week'.length)
})

test('a part of a day is all of it, unless a time follows', () => {
  expect(span('monday morning')).toEqual(day(2026, 11, 16))
  expect(span('yesterday in the afternoon')).toEqual(day(2026, 11, 17))
  const noon = new Date(2026, 10, 17, 12).getTime()
  for (const text of ['yesterday noon', 'yesterday at noon', 'last night 12:00'])
    expect(span(text), text).toEqual({ from: noon, to: noon })
  expect(span('17 Nov 24:00')).toEqual(span('18 Nov 0:00'))
})

test('a date of git, of a database and of a log is the moment that it names', () => {
  const ten = Date.UTC(2026, 2, 4, 10)
  for (const text of [
    'Wed Mar 4 11:00:00 2026 +0100',
    'Wed Mar  4 10:00:00 UTC 2026',
    '2026-03-04 11:00:00+01',
    'Wed, 04 Mar 2026 10:00:00 GMT',
  ])
    expect(span(text), text).toEqual({ from: ten, to: ten })
  expect(span('Wed Mar 4 10:00:00 2026')?.from).toBe(new Date(2026, 2, 4, 10).getTime())
  expect(span('Mar 30 10:00:00 2026 Z')?.from).toBe(Date.UTC(2026, 2, 30, 10))
})

test.each([
  '2026/11',
  '2026–11–20',
  '2026-11-20/2026-11-22',
  '2026-11-20T10:00:00,5Z',
  '4 March–6 March',
  '7d+1h',
  '1.5.7',
  'two days',
  'a week',
  'one day the build broke',
])('%s is not a time, rather than a part of it one', (text) => expect(span(text)).toBeNull())

test('ages count back from now, and a time with a zone is a moment', () => {
  const moment = (ms: number) => ({ from: ms, to: ms })
  expect(span('7d')).toEqual(moment(NOW - 7 * 86_400_000))
  expect(span('90m')).toEqual(moment(NOW - 90 * 60_000))
  expect(span('2 weeks ago')).toEqual(moment(NOW - 14 * 86_400_000))
  expect(span('7D')).toEqual(moment(NOW - 7 * 86_400_000))
  expect(span('three days ago')).toEqual(moment(NOW - 3 * 86_400_000))
  expect(span('an hour ago')).toEqual(moment(NOW - 3_600_000))
  expect(span('a few days ago')).toEqual(moment(NOW - 3 * 86_400_000))
  expect(span('the past two weeks')).toEqual(moment(NOW - 14 * 86_400_000))
  expect(span('last 24 hours')).toEqual(moment(NOW - 86_400_000))
  expect(span('3mo')).toEqual(moment(NOW - 90 * 86_400_000))
  expect(span('2026-03-04T10:00:00Z')).toEqual(moment(Date.UTC(2026, 2, 4, 10)))
})

test('reports how much of the text it read', () => {
  expect(readTypedTime('4 March 2026 why', NOW)?.length).toBe('4 March 2026'.length)
  expect(readTypedTime('last Tuesday deploy', NOW)?.length).toBe('last Tuesday'.length)
  expect(readWholeTime('last 3 days ago', NOW)).toBeNull()
})
