import { Link } from '@tanstack/react-router'
import { Ban, Check, Minus, X } from 'lucide-react'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { formatDuration } from '../../lib/format.ts'
import { sinceStartOf, useOperationPages } from '../../lib/operation.ts'
import { type FoldedCall, foldFailures } from './fold-failures.ts'
import { inputLine } from '../../../shared/input-line.ts'
import { CALL_FILTERS, type ToolListProps, TOOLS_PRESET } from './tools-search.ts'
import { toSession } from '../../lib/places.ts'
import { Moment } from '../../components/moment.tsx'

/** The latest calls of one tool or all, linked to their place in the session. */
export function RecentCalls({ search, onChange }: ToolListProps) {
  const { range = TOOLS_PRESET, tool, failed } = search
  const input = { ...CALL_FILTERS.of(search), tool_name: tool, limit: 50 }
  const query = useOperationPages('tools.list', input, { moving: sinceStartOf(range) })
  const { items: calls, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query
  return (
    <Card
      title={`Latest ${failed ? 'failed ' : ''}calls${tool === undefined ? '' : ` of ${tool}`}`}
      actions={
        <span className="flex items-center gap-2">
          {tool !== undefined && (
            <Button look="ghost" size="small" onClick={() => onChange({ tool: undefined })}>
              Show all tools
            </Button>
          )}
          <FilterBar filters={CALL_FILTERS} state={search} onChange={onChange} />
        </span>
      }
    >
      {loaded({ query }, () => (
        <ol className={`px-3 pb-3 text-small ${isPlaceholderData ? 'awaited' : ''}`}>
          {foldFailures(calls).map((call) => (
            <li key={call.id}>
              <Link
                {...toSession(call.session_id, { event: call.uuid })}
                className="grid grid-cols-[1rem_minmax(3rem,5rem)_minmax(0,1fr)_auto] min-[700px]:grid-cols-[1rem_minmax(5rem,9rem)_minmax(0,1fr)_auto_9.5rem] items-baseline gap-3 rounded-small px-2 py-1.5 hover:bg-hover"
              >
                <Outcome call={call} />
                <span className="truncate font-mono font-medium" title={call.tool_name}>
                  {call.tool_name}
                </span>
                <span className="min-w-0">
                  <span className="block truncate font-mono text-meta text-soft">{inputLine(call.input_summary)}</span>
                  {call.error !== null && (
                    <>
                      <span className="line-clamp-2 font-mono text-meta wrap-anywhere text-bad">
                        {visibleText(call.error)}
                      </span>
                      <span className="block truncate text-meta text-faint">
                        {call.times > 1 && <span className="font-semibold text-soft">×{call.times}, latest in: </span>}
                        {visibleText(call.session_title ?? call.session_id)}
                      </span>
                    </>
                  )}
                </span>
                <span className="text-right whitespace-nowrap text-faint">
                  {call.upper_bound && '≤ '}
                  {formatDuration(call.duration_ms)}
                </span>
                <Moment at={call.timestamp} className="text-right whitespace-nowrap text-faint max-[700px]:hidden" />
              </Link>
            </li>
          ))}
          {calls.length === 0 && (
            <li className="px-2 py-4 text-soft">
              {failed ? 'No failed calls in this range' : 'No calls in this range'}
            </li>
          )}
          {hasNextPage && (
            <li className="flex justify-center pt-3">
              <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
                Show older calls
              </Button>
            </li>
          )}
        </ol>
      ))}
    </Card>
  )
}

function Outcome({ call }: { readonly call: Pick<FoldedCall, 'success' | 'rejected'> }) {
  const { success, rejected } = call
  if (rejected) return <Ban className="size-4 text-faint" role="img" aria-label="Refused" />
  if (success === null) return <Minus className="size-4 text-faint" role="img" aria-label="Unknown" />
  return success ? (
    <Check className="size-4 text-good" role="img" aria-label="Succeeded" />
  ) : (
    <X className="size-4 text-bad" role="img" aria-label="Failed" />
  )
}
