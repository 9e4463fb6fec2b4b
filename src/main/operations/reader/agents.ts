import { agentsOf, tasksOf } from '../../store/read/agents.ts'
import { requireSession } from '../../store/read/sessions.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { type Reader } from '../../store/read/reader.ts'

const MAX_ITEMS = 1000

/** Answers with the first items of a session. */
const listed =
  <Item>(read: (reader: Reader, session: string, limit: number) => Item[]) =>
  (reader: Reader, { session_id }: { readonly session_id: string }) => {
    requireSession(reader, session_id)
    const items = read(reader, session_id, MAX_ITEMS + 1)
    return { items: items.slice(0, MAX_ITEMS), partial: items.length > MAX_ITEMS }
  }

export const agentsList: ReaderHandler<'agents.list'> = listed(agentsOf)
export const tasksList: ReaderHandler<'tasks.list'> = listed(tasksOf)
