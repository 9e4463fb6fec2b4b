import type { ServiceNews } from '../../shared/contract/live.ts'
import type { EventSummary } from '../../shared/live-feed.ts'

type Committed = Pick<EventSummary, 'kind' | 'session_id' | 'project' | 'ts_wall' | 'text' | 'level'>

/** Events that arrive later than this after they happened, as in an import, are no news, in ms. */
const NEWS_MS = 2 * 60_000

/**
 * Types of Claude Code's Notification hook that ask the person for something (its `notification_type`, seen in
 * 2.1.332): `permission_prompt`, `worker_permission_prompt`, `elicitation_dialog`, `elicitation_url_dialog`,
 * `agent_needs_input`. `idle_prompt` asks nothing: it comes a minute after the end of each turn.
 */
const ASKS = /permission_prompt$|_dialog$|_needs_input$/

/** Returns a notice for each session in `events` whose client waits for a permission or an answer, newest words. */
export function waitingNews(events: readonly Committed[], now: number): ServiceNews[] {
  const asking = events.filter(
    ({ kind, level, ts_wall: at }) =>
      kind === 'notification' && ASKS.test(level ?? '') && Math.abs(now - Date.parse(at)) <= NEWS_MS,
  )
  return [...new Map(asking.map((event) => [event.session_id, event])).values()].map((event) => ({
    kind: 'waits',
    title: `Claude waits for you${event.project === null ? '' : ` in ${nameOf(event.project)}`}`,
    text: event.text === '' ? 'It asks for a permission or an answer.' : event.text,
    session_id: event.session_id,
  }))
}

const nameOf = (folder: string) => folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
