import { limitWords } from '../../shared/limit-words.ts'
import { Link } from '@tanstack/react-router'
import { CircleAlert, Gauge, Keyboard, Shield, Wallet } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { capName, capsOf, fullestSentence, nearlyFull, usedShare } from '../features/settings/guard/cap-words.ts'
import { budgetNews, PERIOD_NAMES, tightest } from '../lib/budgets.ts'
import { currentConnection, subscribeConnection } from '../lib/connection.ts'
import { formatBytes, formatCents, formatCount, formatMoment, formatShare } from '../lib/format.ts'
import { useOperation } from '../lib/operation.ts'
import { limitsInForce } from '../lib/limits.ts'
import { useLiveStore, useNow } from '../lib/live/live-context.tsx'
import { recordingOf } from '../lib/recording.ts'
import { startCommand } from '../lib/typed-aspy.ts'
import { startedIn, viewerZone } from '../lib/time-range.ts'

const RECORDING = {
  lost: { look: 'bg-bad', text: 'Aspy was stopped. Start it with aspy' },
  connecting: { look: 'bg-good', text: 'Connecting…' },
  on: { look: 'bg-good', text: 'Recording' },
  warned: { look: 'bg-warn', text: 'Recording, with warnings' },
  failed: { look: 'bg-bad', text: 'Not recording' },
  off: { look: 'bg-warn', text: 'Recording is off' },
} as const

/** Bytes of which the writer is behind: below that, it is only at work. */
const LONG_QUEUE = 1_000_000

/** The guard's fullest cap, once it is nearly full. */
function FullCap() {
  const { data: guard } = useOperation('guard.get', {}, { refetchMs: 30_000 })
  const cap = guard === undefined ? null : nearlyFull(capsOf(guard))
  if (cap === null) return null
  const share = usedShare(cap) ?? 0
  return (
    <Link
      to="/guard"
      title={fullestSentence(cap)}
      className={`flex min-h-6 items-center gap-1.5 hover:underline max-[900px]:hidden ${share >= 1 ? 'text-bad' : 'text-warn'}`}
    >
      <Shield className="size-3.5 shrink-0" aria-hidden />
      {formatShare(share)} <span className="max-[1200px]:sr-only">of the {capName(cap)}</span>
    </Link>
  )
}

/** The status bar: recording state, event rate, losses, today's cost, limits and warnings. */
export function Footer({ onShortcuts, onRecording }: { onShortcuts: () => void; onRecording: () => void }) {
  const store = useLiveStore()
  const now = useNow(1000)
  const { status, costUsd } = store.getSnapshot()
  const costToday = useTodayCost(costUsd)
  const connection = useSyncExternalStore(subscribeConnection, currentConnection)
  const { data: health, isError } = useOperation('health.get', {})
  const { data: budgets } = useOperation('budgets.status', {})
  const { data: limits } = useOperation('limits.latest', {})
  const budget = tightest(budgets?.items ?? [])
  const dropped = Object.values(health?.dropped ?? {}).reduce((sum, count) => sum + count, 0)
  const rate = store.rate(now)
  const recording =
    status === 'lost' || connection.status === 'lost' || isError
      ? 'lost'
      : status === 'connecting' || health === undefined
        ? 'connecting'
        : recordingOf(health)
  const { look, text } = RECORDING[recording]
  return (
    <footer className="col-span-2 flex h-8 items-center gap-5 overflow-hidden border-t bg-sunken px-4 text-meta whitespace-nowrap text-soft max-[700px]:gap-3 max-[700px]:px-3">
      <button
        type="button"
        onClick={onRecording}
        title="How to switch Aspy off"
        className="flex min-h-6 min-w-0 items-center gap-2 rounded-small hover:underline"
      >
        <span className={`size-2 rounded-full ${look} ${rate > 0 ? 'breathe' : ''}`} aria-hidden />
        <span className="truncate">
          {recording === 'lost' && startCommand() === '' ? 'Aspy was stopped. Open it again' : text}
        </span>
      </button>
      <Item label="events/s" isExtra>
        {rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : formatCount(rate)}
      </Item>
      {health !== undefined && health.queue_bytes > LONG_QUEUE && (
        <Item label="to store" isExtra>
          {formatBytes(health.queue_bytes)}
        </Item>
      )}
      {dropped > 0 && (
        <Item label="not recorded" bad>
          {formatCount(dropped)}
        </Item>
      )}
      <Item label="today">{formatCents(costToday ?? health?.cost_today_usd ?? null)}</Item>
      {budget && (
        <Link
          to="/costs"
          search={{}}
          title={budgetNews(budget)}
          className={`flex min-h-6 items-center gap-1.5 hover:underline ${budget.mark === 100 ? 'text-bad' : 'text-warn'}`}
        >
          <Wallet className="size-3.5 shrink-0" aria-hidden />
          {formatShare(budget.spent_usd / budget.limit_usd)}{' '}
          <span className="max-[800px]:sr-only">of {PERIOD_NAMES[budget.period].toLowerCase()}’s budget</span>
        </Link>
      )}
      <FullCap />
      {limitsInForce(limits, now).map(({ name, account, utilization, resets_at: resets }) => (
        <Link
          key={`${account} ${name}`}
          to="/costs"
          search={{ tab: 'limits' }}
          title={`${formatShare(utilization)} of the ${limitWords(name)} limit${account === undefined ? '' : ` of ${account}`} is used${resets === null ? '' : `; it resets ${formatMoment(resets)}`}`}
          className={`flex min-h-6 items-center gap-1.5 hover:underline max-[700px]:hidden ${utilization >= 0.9 ? 'text-bad' : utilization >= 0.75 ? 'text-warn' : ''}`}
        >
          <Gauge className="size-3.5 shrink-0" aria-hidden />
          {account} {name} {formatShare(utilization)}
        </Link>
      ))}
      {health && health.warnings.length > 0 && (
        <Link to="/health" className="flex min-h-6 min-w-6 items-center gap-1.5 text-warn hover:underline">
          <CircleAlert className="size-3.5 shrink-0" aria-hidden />
          {health.warnings.length}{' '}
          <span className="max-[700px]:sr-only">{health.warnings.length === 1 ? 'warning' : 'warnings'}</span>
        </Link>
      )}
      <button
        type="button"
        onClick={onShortcuts}
        aria-label="Keyboard shortcuts (?)"
        title="Keyboard shortcuts (?)"
        className="ml-auto flex min-h-6 shrink-0 items-center gap-1.5 rounded-small px-1.5 py-0.5 text-faint hover:bg-hover hover:text-ink"
      >
        <Keyboard className="size-4" aria-hidden />
        <kbd className="font-sans">?</kbd>
      </button>
    </footer>
  )
}

interface ItemProps {
  readonly label: string
  readonly bad?: boolean
  /** Hidden in a narrow window. */
  readonly isExtra?: boolean
  readonly children: ReactNode
}

function Item({ label, bad = false, isExtra = false, children }: ItemProps) {
  return (
    <span className={`${bad ? 'font-semibold text-bad' : ''} ${isExtra ? 'max-[1000px]:hidden' : ''}`}>
      <span className={bad ? '' : 'font-medium text-ink'}>{children}</span> {label}
    </span>
  )
}

/** Deletions and midnight change the figure without an event. */
const REFETCH_MS = 20_000

/**
 * Returns the cost of today. `seenUsd`: the cost counted from the live feed: the figure is read again whenever that
 * changes, so that it never lags behind the cards of Live, which count the same events.
 */
function useTodayCost(seenUsd: number): number | undefined {
  const moving = { of: ['today', seenUsd], fields: () => startedIn('today', Date.now(), viewerZone()) }
  const kept = { refetchMs: REFETCH_MS, keptMs: REFETCH_MS, keepsPrevious: true }
  return useOperation('stats.summary', {}, { moving, ...kept }).data?.total_cost_usd
}
