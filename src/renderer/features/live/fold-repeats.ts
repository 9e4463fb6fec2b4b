import type { EventSummary } from '../../../shared/live-feed.ts'

/** Folds an error that comes again and again into its first row. `times`: how often it came, by the id of that row. */
export function foldRepeats(events: readonly EventSummary[]): {
  readonly events: readonly EventSummary[]
  readonly times: ReadonlyMap<number, number>
} {
  const times = new Map<number, number>()
  const rows: EventSummary[] = []
  for (const event of events) {
    const before = rows.at(-1)
    if (event.kind === 'error' && before !== undefined && isRepeat(event, before))
      times.set(before.id, (times.get(before.id) ?? 1) + 1)
    else rows.push(event)
  }
  return { events: rows, times }
}

const isRepeat = (event: EventSummary, before: EventSummary): boolean =>
  before.kind === event.kind &&
  before.text === event.text &&
  before.session_id === event.session_id &&
  before.agent_id === event.agent_id
