import { useMemo, useState } from 'react'
import type { Session } from '../../../shared/contract/sessions.ts'
import { MemoryTray } from './memory-tray.tsx'
import { useLiveStore } from '../../lib/live/live-context.tsx'

/** The compaction whose card was closed in this tab. */
const CLOSED_KEY = 'aspy.closed-tray'

interface CompactedProps {
  readonly batch: number
  readonly known: ReadonlyMap<string, Session>
  /** Older compactions have no card. */
  readonly since: number
}

/** The card of the newest compaction, until it is closed. */
export function Compacted({ batch, known, since }: CompactedProps) {
  const store = useLiveStore()
  const [closed, setClosed] = useState(() => sessionStorage.getItem(CLOSED_KEY))
  const compaction = useMemo(
    () => store.events(({ kind, agent_id: agent }) => kind === 'compaction' && agent === null).at(-1),
    // oxlint-disable-next-line react/exhaustive-deps
    [store, batch],
  )
  if (compaction === undefined || compaction.uuid === closed || Date.parse(compaction.ts_wall) < since) return null
  const close = () => {
    sessionStorage.setItem(CLOSED_KEY, compaction.uuid)
    setClosed(compaction.uuid)
  }
  const title = known.get(compaction.session_id)?.title ?? compaction.session_id
  return (
    <li>
      <MemoryTray key={compaction.uuid} compaction={compaction} title={title} onClose={close} />
    </li>
  )
}
