import { Link } from '@tanstack/react-router'
import { FilterBar } from '../../components/filters.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { formatDuration } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import { inputLine } from '../../../shared/input-line.ts'
import { SLOW_FILTERS, type ToolListProps, TOOLS_PRESET } from './tools-search.ts'
import { toSession } from '../../lib/places.ts'
import { Moment } from '../../components/moment.tsx'

/** The longest calls, linked to their place in the session. */
export function SlowestCalls({ search, onChange }: ToolListProps) {
  const input = { ...SLOW_FILTERS.of(search), by: 'tool', limit: 12 } as const
  const query = useOperation('stats.slowest', input, { moving: sinceStartOf(search.range ?? TOOLS_PRESET) })
  return (
    <Card title="Slowest calls" actions={<FilterBar filters={SLOW_FILTERS} state={search} onChange={onChange} />}>
      {loaded({ query, rows: 5 }, (data) => (
        <ol className="px-3 pb-3 text-small">
          {data.items.map((call) => (
            <li key={call.uuid}>
              <Link
                {...toSession(call.session_id, { event: call.uuid })}
                className="grid grid-cols-[4.5rem_minmax(3rem,5rem)_minmax(0,1fr)] min-[700px]:grid-cols-[4.5rem_minmax(5rem,9rem)_minmax(0,1fr)_9.5rem] items-center gap-3 rounded-small px-2 py-1.5 hover:bg-hover"
              >
                <span className="text-right font-semibold">
                  {call.upper_bound && '≤ '}
                  {formatDuration(call.duration_ms)}
                </span>
                <span className="truncate font-mono font-medium" title={call.name}>
                  {call.name}
                </span>
                <span className={`truncate font-mono text-meta ${call.success === false ? 'text-bad' : 'text-soft'}`}>
                  {call.success === false && 'failed: '}
                  {inputLine(call.text)}
                </span>
                <Moment at={call.timestamp} className="text-right whitespace-nowrap text-faint max-[700px]:hidden" />
              </Link>
            </li>
          ))}
          {data.items.length === 0 && <li className="px-2 py-4 text-soft">No calls with a known duration</li>}
        </ol>
      ))}
    </Card>
  )
}
