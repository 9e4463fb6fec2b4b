import { Link } from '@tanstack/react-router'
import { GitFork } from 'lucide-react'
import type { SessionLink } from '../../../../shared/contract/sessions.ts'
import { formatExact } from '../../../lib/format.ts'
import { toSession } from '../../../lib/places.ts'

const NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after compaction',
} as const

/** Links to the sessions that this one was forked, resumed or compacted from, at most one of each kind. */
export function ContinuedSessions({ links }: { links: readonly SessionLink[] }) {
  const newest = links.filter((link, at) => links.findIndex(({ kind }) => kind === link.kind) === at)
  return newest.map(({ kind, session_id, at }) => (
    <Link
      key={kind}
      {...toSession(session_id, {})}
      title={`${NAMES[kind]} session ${session_id}, ${formatExact(at)}`}
      className="flex items-center gap-1 text-accent hover:underline"
    >
      <GitFork className="size-3 shrink-0" aria-hidden />
      {NAMES[kind]} <span className="font-mono">{session_id.slice(0, 8)}</span>
    </Link>
  ))
}
