import type { Session } from '../../../../shared/contract/sessions.ts'
import { useLabel } from './use-label.ts'

/** Returns a function that saves a session's new name; null and the old name change nothing. */
export function useRename(session: Pick<Session, 'id' | 'title'>): (title: string | null) => void {
  const label = useLabel(session.id)
  return (title) => {
    if (title === null || title === (session.title ?? '')) return
    const notice = title.trim() === '' ? 'Restored the original name' : 'Renamed the session'
    label.mutate({ label: { title }, notice })
  }
}
