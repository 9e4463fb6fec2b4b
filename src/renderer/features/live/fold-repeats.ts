import type { EventSummary } from '../../../shared/live-feed.ts'

/**
 * Folds an error that comes again and again into its first row, and a tool's result into the row of its call, also one
 * that is recorded before it. `times` and `results`: how often the error came, and the result, by the id of the row.
 */
export function foldRepeats(events: readonly EventSummary[]): {
  readonly events: readonly EventSummary[]
  readonly times: ReadonlyMap<number, number>
  readonly results: ReadonlyMap<number, EventSummary>
} {
  const times = new Map<number, number>()
  const results = new Map<number, EventSummary>()
  const calls = new Map<string | null, number>()
  for (const event of events) if (event.kind === 'tool_call') calls.set(callOf(event), event.id)
  calls.delete(null)
  const rows: EventSummary[] = []
  for (const event of events) {
    const before = rows.at(-1)
    const call = event.kind === 'tool_result' ? calls.get(callOf(event)) : undefined
    if (call !== undefined && !results.has(call)) results.set(call, event)
    else if (event.kind === 'error' && before !== undefined && isRepeat(event, before))
      times.set(before.id, (times.get(before.id) ?? 1) + 1)
    else rows.push(event)
  }
  return { events: rows, times, results }
}

const callOf = ({ session_id: session, call_id: call }: EventSummary): string | null =>
  call === undefined ? null : `${session} ${call}`

const isRepeat = (event: EventSummary, before: EventSummary): boolean =>
  before.kind === event.kind &&
  before.text === event.text &&
  before.session_id === event.session_id &&
  before.agent_id === event.agent_id
