import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { limitCostsTable, limitUsesTable } from '../../../shared/columns/limits.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { ForecastChart, forecastPoints } from '../../components/forecast-chart.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Meter } from '../../components/meter.tsx'
import { Card } from '../../components/page.tsx'
import { Sentences } from '../../components/sentences.tsx'
import { Table } from '../../components/table.tsx'
import { formatMoment, formatShare } from '../../lib/format.ts'
import { exhaustion, followsCost, limitName, limitUsers, type LimitUser, type LimitWindow } from '../../lib/limits.ts'
import { useOperation } from '../../lib/operation.ts'
import { USUAL_WEEKS } from '../../lib/usual.ts'
import { limitSentences, WORRYING } from './limits-line.ts'
import { toSession } from '../../lib/places.ts'

const SESSIONS_SHOWN = 5

const SHARES_ESTIMATED = 'The API reports only the total; what each session used of it is an estimate from its cost.'
const SHARES_LEFT_OUT =
  'If a limit shows costs alone, the whole percents that the API reports are too coarse to estimate what each session used.'

/** The used share of each limit, who used it, and the expected share at its reset. */
export function LimitsCard() {
  const query = useOperation('limits.now', {})
  const { data } = query
  const reports = useOperation(
    'limits.series',
    { bucket_minutes: 60 },
    {
      moving: {
        of: 'weeks',
        fields: () => ({ since: new Date(Date.now() - (USUAL_WEEKS * 7 + 1) * DAY_MS).toISOString() }),
      },
    },
  ).data
  const empty = data?.windows.length === 0 && (
    <p className="px-5 pb-4 text-small text-soft">
      No limits were reported. The API reports those of a subscription with each answer.
    </p>
  )
  const at = data === undefined || empty !== false ? undefined : `reported by the API, ${formatMoment(data.at)}`
  return (
    <Card title="Account limits" note={at}>
      {loaded({ query, look: 'line', empty }, ({ windows }) => (
        <>
          <Sentences
            className="px-5 pb-4 text-body"
            sentences={limitSentences(windows, reports?.items, query.dataUpdatedAt)}
          />
          <div className="grid gap-x-10 gap-y-6 pb-2 min-[1200px]:grid-cols-2 min-[2000px]:grid-cols-3">
            {windows.map((window) => (
              <Limit
                key={`${window.user} ${window.account} ${window.window}`}
                window={window}
                now={query.dataUpdatedAt}
              />
            ))}
          </div>
          {[...new Set(windows.flatMap(notesOf))].map((note) => (
            <p key={note} className="px-5 pb-3 text-meta text-faint">
              {note}
            </p>
          ))}
        </>
      ))}
    </Card>
  )
}

/** Says how a limit's table was estimated. */
const notesOf = (window: LimitWindow): readonly string[] =>
  hasUsers(window) ? [followsCost(window.by_session) ? SHARES_ESTIMATED : SHARES_LEFT_OUT, ...window.gaps] : []

/** What used a limit before its reset used nothing of it now. */
const hasUsers = ({ by_session: sessions, used }: LimitWindow): boolean => sessions.length > 0 && used > 0

function Limit({ window, now }: { readonly window: LimitWindow; readonly now: number }) {
  const { used, resets_at: resets, forecast, curve } = window
  const name = [limitName(window.window), window.user, window.account].filter((part) => part !== undefined).join(' · ')
  const points = curve.map(({ timestamp, used: value }) => ({ at: Date.parse(timestamp), value }))
  const end = forecast && resets !== null && { ...forecast, at: Date.parse(resets), value: forecast.at_reset }
  return (
    <section aria-label={name} className="min-w-0">
      <div className="px-5">
        <h3 className="flex items-baseline text-small">
          <span className="font-medium">{name}</span>
          <span className="ml-auto text-faint">{resets === null ? '' : `resets ${formatMoment(resets)}`}</span>
        </h3>
        <p className="mt-1.5 flex items-center gap-3">
          <Meter label={`${name} used`} share={used} warnFrom={WORRYING} badFrom={0.9} />
          <span className="w-12 text-right font-semibold">{formatShare(used)}</span>
        </p>
        <p className="mt-1 mb-2 text-meta text-soft">{expectation(window)}</p>
      </div>
      {points.length > 1 && (
        <ForecastChart
          label={`${name}: ${formatShare(used)} used. ${expectation(window)}`}
          points={forecastPoints(points, end || null, now)}
          limit={1}
          isStepped
          format={(share) => formatShare(share)}
        />
      )}
      <Users window={window} />
    </section>
  )
}

/** Describes the rate, the value expected at the reset, and when the limit is exhausted. */
function expectation(window: LimitWindow): string {
  const { burn_per_hour: rate, forecast, forecast_checks: checks } = window
  // Without a reset ahead, it was reset since its last report.
  if (forecast === null)
    return window.user === undefined && window.resets_at !== null
      ? 'Too early to tell how much is used at the reset.'
      : ''
  const held = checks.checks === 0 ? '' : ` (${checks.hits} of ${checks.checks} forecasts were right)`
  return [
    ...(rate === null ? [] : [`${formatShare(rate)} an hour.`]),
    `${formatShare(forecast.at_reset)} expected at the reset, ${formatShare(forecast.low)} to ${formatShare(forecast.high)}${held}.`,
    ...exhaustion(window),
  ].join(' ')
}

/** What used most of the limit. */
function Users({ window }: { readonly window: LimitWindow }) {
  if (!hasUsers(window)) return null
  const rows = limitUsers(window, SESSIONS_SHOWN)
  const keyOf = ({ session_id: id, title }: LimitUser) => id ?? title
  const name = ({ session_id: sessionId }: LimitUser, text: ReactNode) =>
    sessionId === null ? (
      text
    ) : (
      <Link {...toSession(sessionId, { tab: 'requests' })} className="text-accent hover:underline">
        {text}
      </Link>
    )
  return followsCost(window.by_session) ? (
    <Table columns={limitUsesTable} rows={rows} keyOf={keyOf} cells={{ title: name }} />
  ) : (
    <Table columns={limitCostsTable} rows={rows} keyOf={keyOf} cells={{ title: name }} />
  )
}
