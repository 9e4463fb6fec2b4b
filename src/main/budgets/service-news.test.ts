import { expect, test } from 'vitest'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { resetNews, serviceNews } from './service-news.ts'

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]
type Change = OperationOutput<'served.list'>['changes'][number]

const RESET = '2026-11-20T14:59:58.000Z'

function window(used: number, more: { readonly resets_at?: string | null; readonly exhausted_at?: string } = {}) {
  const { resets_at: resets = RESET, exhausted_at: exhausted } = more
  const forecast = exhausted === undefined ? null : { exhausted_at: exhausted }
  return { window: '5h', used, resets_at: resets, forecast } as unknown as LimitWindow
}

const change = (more: Partial<Change>): Change => ({
  uuid: 'u',
  session_id: 's',
  agent_id: null,
  timestamp: '2026-11-20T10:00:00.000Z',
  dimension: 'service_tier',
  kind: 'differs',
  asked: null,
  before: null,
  served: 'standard',
  answers: 1,
  ...more,
})

test.each([
  [0.7499, null],
  [0.75, 75],
  [0.8999, 75],
  [0.9, 90],
  [0.95, 95],
  [0.9999, 95],
  [1, 100],
  [1.2, 100],
])('%d of a limit reaches the mark %o: at the mark, not past it', (used, mark) => {
  const news = serviceNews([window(used)], [])
  expect(news.map((one) => one.mark)).toEqual(mark === null ? [] : [mark])
  expect(news.map(({ title }) => title)).toEqual(mark === null ? [] : [`${mark}% of the 5-hour limit is used`])
})

test('a window without a time of reset gives no news', () => {
  expect(serviceNews([window(1, { resets_at: null })], [])).toEqual([])
})

test('a forecast is news until the limit is used up, and names both moments', () => {
  const exhausted_at = '2026-11-20T12:30:00.000Z'
  expect(serviceNews([window(0.5, { exhausted_at })], [])).toEqual([
    {
      kind: 'limit_forecast',
      title: 'The 5-hour limit will probably be exhausted before its reset',
      text: 'At this rate at 2026-11-20 12:30 UTC; it resets at 2026-11-20 14:59 UTC.',
      about: 'forecast 5h ',
      since: '2026-11-20T15:00:00.000Z',
      mark: 100,
    },
  ])
  expect(serviceNews([window(1, { exhausted_at })], []).map(({ kind }) => kind)).toEqual(['limit_mark'])
})

test('the end of a window is the same for answers that round it differently', () => {
  const since = (resets: string) => serviceNews([window(0.8, { resets_at: resets })], [])[0]?.since
  expect(since('2026-11-20T14:59:58.000Z')).toBe(since('2026-11-20T15:00:03.000Z'))
  expect(since('2026-11-20T15:31:00.000Z')).toBe('2026-11-20T16:00:00.000Z')
  expect(resetNews(window(0.8), '2026-11-20T14:59:58.000Z')).toMatchObject({
    since: '2026-11-20T15:00:00.000Z',
    mark: 0,
  })
})

test('an answer served otherwise names what was asked for, or else what came before', () => {
  const texts = (more: Partial<Change>) => serviceNews([], [change(more)]).map(({ title, text }) => [title, text])
  const title = 'Answers are served with another service tier'
  expect(texts({ asked: 'priority', before: 'flex' })).toEqual([
    [title, 'standard instead of priority, since 2026-11-20 10:00 UTC.'],
  ])
  expect(texts({ before: 'flex' })).toEqual([[title, 'standard instead of flex, since 2026-11-20 10:00 UTC.']])
  expect(texts({})).toEqual([[title, 'standard, since 2026-11-20 10:00 UTC.']])
  expect(serviceNews([], [change({})])[0]).toMatchObject({ since: '2026-11', about: 'served service_tier  standard' })
})

test('news is of an account, whatever it is called, and of no other', () => {
  const about = (named: object) => serviceNews([{ ...window(0.8), ...named }], [])[0]?.about
  expect(about({ account_id: 'a', account: 'Work' })).toBe(about({ account_id: 'a' }))
  expect(about({ account_id: 'b' })).not.toBe(about({ account_id: 'a' }))
})
