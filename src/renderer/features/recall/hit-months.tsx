import { plural } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { viewerDate } from '../../lib/viewer-locale.ts'
import { type RecallState, searchInput } from './recall-search.ts'

/** Hits per month of all time, as one bar each. Counts only hits that contain all words. */
export function HitMonths({ state }: { state: RecallState }) {
  const { query, project, prompts, responses, thinking, tz } = searchInput(state)
  const input = { query, project, prompts, responses, thinking, tz }
  const { data } = useOperation('recall.months', input, { enabled: query.trim() !== '' })
  if (state.range !== undefined || !data || data.items.length < 2) return null
  const months = data.items.slice(-24)
  const most = Math.max(...months.map(({ hits }) => hits))
  const labels = months.map(({ month, hits }) => `${monthName(month)}: ${plural(hits, 'hit')}`)
  return (
    <div className="mb-3 flex items-end gap-1 px-4" role="img" aria-label={`Hits by month. ${labels.join(', ')}`}>
      {months.map(({ month, hits }, index) => (
        <span key={month} title={labels[index]} className="flex w-9 flex-col items-center gap-0.5">
          <span className="w-full rounded-t-[3px] bg-accent/50" style={{ height: `${4 + (hits / most) * 24}px` }} />
          <span className="text-micro text-faint">{monthName(month, true)}</span>
        </span>
      ))}
    </div>
  )
}

function monthName(month: string, short = false): string {
  return viewerDate(new Date(`${month}-01T00:00:00Z`), {
    month: 'short',
    ...(short ? {} : { year: 'numeric' }),
    timeZone: 'UTC',
  })
}
