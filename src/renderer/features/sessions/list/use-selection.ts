import { useState } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'

/** Sessions selected in a list, by id. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [anchor, setAnchor] = useState<number | null>(null)
  return {
    ids,
    /** Adds or removes a session; with a range, all from the previous selection to this one. */
    select(sessions: readonly Session[], index: number, isRange = false) {
      const id = sessions[index]?.id
      if (id === undefined) return
      const isOn = !ids.has(id)
      const [from, to] =
        isRange && anchor !== null ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index]
      const next = new Set(ids)
      for (const session of sessions.slice(from, to + 1)) {
        if (isOn) next.add(session.id)
        else next.delete(session.id)
      }
      setIds(next)
      setAnchor(index)
    },
    selectAll: (sessions: readonly Session[]) => setIds(new Set(sessions.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  }
}
