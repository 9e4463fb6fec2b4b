import type { ServiceNews } from '../../shared/contract/live.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { limitWords } from '../../shared/limit-words.ts'
import { HOUR_MS } from '../../shared/time-units.ts'

/** News with the key under which it is remembered, so that each item is reported once. */
export interface KeyedNews extends ServiceNews {
  /** The subject in words; hashed before it is stored. */
  readonly about: string
  /** The window's end or the month, so that the next one is reported again. */
  readonly since: string
  readonly mark: number
}

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]
type Change = OperationOutput<'served.list'>['changes'][number]

/** Used shares that are reported, in percent. */
export const LIMIT_MARKS = [75, 90, 95, 100] as const

/** Returns the news: marks reached, forecast exhaustion, and answers served differently than requested or before. */
export const serviceNews = (windows: readonly LimitWindow[], changes: readonly Change[]): KeyedNews[] => [
  ...windows.flatMap(limitNews),
  ...changes.map(servedNews),
]

/** Returns the notice that a limit is empty again. */
export function resetNews(window: Named, resetsAt: string): KeyedNews {
  return {
    kind: 'limit_reset',
    title: `The ${limitOf(window)} was reset`,
    text: 'It is empty again.',
    about: `reset ${limitId(window)}`,
    since: hourOf(resetsAt),
    mark: 0,
  }
}

type Named = Pick<LimitWindow, 'window' | 'account' | 'account_id'>

/** Names a limit: of which window, and of which account if there are several. */
const limitOf = ({ window, account }: Named): string =>
  `${limitWords(window)} limit${account === undefined ? '' : ` of ${account}`}`

/** Identifies a limit. What its account is called changes with others that come and go, and with the settings. */
export const limitId = ({ window, account_id: account = '' }: Named): string => `${window} ${account}`

function limitNews({ used, resets_at: resets, forecast, ...named }: LimitWindow): KeyedNews[] {
  // Without a reset time, the report may be out of date.
  if (resets === null) return []
  const [limit, id] = [limitOf(named), limitId(named)]
  const since = hourOf(resets)
  const mark = LIMIT_MARKS.findLast((percent) => used * 100 >= percent)
  const at = forecast?.exhausted_at ?? null
  return [
    ...(mark === undefined
      ? []
      : [
          {
            kind: 'limit_mark' as const,
            title: `${mark}% of the ${limit} is used`,
            text: `It resets at ${minuteOf(resets)} UTC.`,
            about: `mark ${id}`,
            since,
            mark,
          },
        ]),
    ...(at === null || used >= 1
      ? []
      : [
          {
            kind: 'limit_forecast' as const,
            title: `The ${limit} will probably be exhausted before its reset`,
            text: `At this rate at ${minuteOf(at)} UTC; it resets at ${minuteOf(resets)} UTC.`,
            about: `forecast ${id}`,
            since,
            mark: 100,
          },
        ]),
  ]
}

function servedNews({ dimension, asked, before, served, timestamp }: Change): KeyedNews {
  const expected = asked ?? before
  return {
    kind: 'served',
    title: `Answers are served with another ${dimension.replaceAll('_', ' ')}`,
    text: `${served}${expected === null ? '' : ` instead of ${expected}`}, since ${minuteOf(timestamp)} UTC.`,
    about: `served ${dimension} ${expected ?? ''} ${served}`,
    since: timestamp.slice(0, 7),
    mark: 0,
  }
}

/** The API may round the end of a window differently in each answer, so it is compared by its nearest hour. */
const hourOf = (moment: string): string => new Date(Math.round(Date.parse(moment) / HOUR_MS) * HOUR_MS).toISOString()

const minuteOf = (moment: string): string => moment.slice(0, 16).replace('T', ' ')
