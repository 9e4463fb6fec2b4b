import { agentsOf, tasksOf } from '../../store/read/agents.ts'
import { requireSession } from '../../store/read/sessions.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

const MAX_ITEMS = 1000

export const agentsList: ReaderHandler<'agents.list'> = (reader, { session_id }) => {
  requireSession(reader, session_id)
  const items = agentsOf(reader, session_id, MAX_ITEMS + 1)
  return { items: items.slice(0, MAX_ITEMS), partial: items.length > MAX_ITEMS }
}

export const tasksList: ReaderHandler<'tasks.list'> = (reader, { session_id }) => {
  requireSession(reader, session_id)
  const items = tasksOf(reader, session_id, MAX_ITEMS + 1)
  return { items: items.slice(0, MAX_ITEMS), partial: items.length > MAX_ITEMS }
}
