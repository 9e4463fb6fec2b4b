import type { Session } from '../../../shared/contract/sessions.ts'
import { hasOnlyTraffic, type LiveSession } from '../../../shared/turn-state.ts'
import type { LiveBlock } from '../../lib/live/live-block.ts'
import type { LiveSnapshot } from '../../lib/live/live-store.ts'
import { columnDollars } from '../../lib/axis.ts'
import { endOf } from '../../lib/live/live-session.ts'
import { useNow } from '../../lib/live/live-context.tsx'
import { Compacted } from './compacted.tsx'
import { AspyCommand } from '../../components/command-line.tsx'
import { projectName } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { giveColors } from './session-color.ts'
import { SessionCard } from './session-card.tsx'
import { sessionNames } from './session-names.ts'

const SHOWN_MS = 30 * 60_000

interface ActiveSessionsProps {
  readonly snapshot: LiveSnapshot
  readonly known: ReadonlyMap<string, Session>
  readonly chosen: string | undefined
  readonly onChoose: (session: string | undefined) => void
  readonly onPoint: (session: string | null) => void
}

/** Sessions with activity in the last half hour, newest turn first. */
export function ActiveSessions({ snapshot, known, chosen, onChoose, onPoint }: ActiveSessionsProps) {
  const now = useNow(1000)
  const held = new Set(snapshot.held.map(({ session_id }) => session_id))
  const sessions = snapshot.sessions
    .filter((session) => now - Date.parse(session.last_event_at) < SHOWN_MS)
    .filter((session) => !hasOnlyTraffic(session) || isWriting(snapshot.blocks, session))
  const open = sessions.filter((session) => endOf(session, known.get(session.session_id)) === null).length
  // The rows of the stream, which are drawn later, have them, too.
  giveColors(idsOf(sessions), idsOf(snapshot.sessions))
  const dollars = columnDollars(
    sessions.flatMap(({ session_id: id, cost_usd: usd }) => [usd, known.get(id)?.total_cost_usd]),
  )
  const names = sessionNames(sessions, known)
  sessions.sort((one, other) => other.turn_started_at.localeCompare(one.turn_started_at))
  return (
    <section
      aria-label="Active sessions"
      className="flex min-h-0 flex-col border-r max-[800px]:max-h-[38vh] max-[800px]:border-r-0 max-[800px]:border-b"
    >
      <h2 className="label flex h-10 shrink-0 items-center px-6">
        {snapshot.batch === 0
          ? 'Active sessions'
          : sessions.length === 0
            ? 'No active sessions'
            : `Last 30 minutes: ${sessions.length} · open: ${open}`}
      </h2>
      <ul className="flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-4 pb-4 max-[800px]:snap-x max-[800px]:scroll-px-4 max-[800px]:flex-row max-[800px]:items-start max-[800px]:overflow-x-auto max-[800px]:*:w-[86%] max-[800px]:*:shrink-0 max-[800px]:*:snap-start">
        <Compacted batch={snapshot.batch} known={known} since={now - SHOWN_MS} />
        {sessions.map((session) => (
          <li
            key={session.session_id}
            onPointerEnter={() => onPoint(session.session_id)}
            onPointerLeave={() => onPoint(null)}
          >
            <SessionCard
              session={session}
              recorded={known.get(session.session_id)}
              isHeld={held.has(session.session_id)}
              block={newestBlock(snapshot.blocks, session.session_id)}
              dollars={dollars}
              now={now}
              chosen={chosen === session.session_id}
              since={names.get(session.session_id)?.since ?? null}
              onChoose={() => onChoose(chosen === session.session_id ? undefined : session.session_id)}
            />
          </li>
        ))}
        <NotCaptured shown={new Set(snapshot.sessions.map(({ session_id }) => session_id))} />
        {snapshot.batch === 0 && (
          <li>
            <div className="skeleton h-28" role="status" aria-label="Loading active sessions" />
          </li>
        )}
        {snapshot.batch > 0 && sessions.length === 0 && (
          <li className="px-2 text-small text-soft">A session appears here with its first request.</li>
        )}
      </ul>
    </section>
  )
}

const idsOf = (sessions: readonly LiveSession[]) => sessions.map(({ session_id }) => session_id)

const isWriting = (blocks: readonly LiveBlock[], { session_id }: LiveSession): boolean =>
  newestBlock(blocks, session_id) !== null

const newestBlock = (blocks: readonly LiveBlock[], sessionId: string): LiveBlock | null =>
  blocks.findLast((block) => block.session_id === sessionId && !block.done) ?? null

/** Sessions on this machine that do not go through Aspy, with the command to capture the next one. */
function NotCaptured({ shown }: { readonly shown: ReadonlySet<string> }) {
  const { data } = useOperation('transcripts.running', {})
  const others = (data?.items ?? []).filter(({ captured, session_id }) => !captured && !shown.has(session_id))
  if (others.length === 0) return null
  return (
    <li className="rounded-medium border border-dashed p-3.5 text-small">
      <p className="font-medium">Running outside Aspy</p>
      <ul className="mt-1 mb-2 text-soft">
        {others.map(({ session_id, project }) => (
          <li key={session_id} title={session_id}>
            {projectName(project)}
          </li>
        ))}
      </ul>
      <AspyCommand args="run -- claude" />
    </li>
  )
}
