import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { useOperation } from '../../../lib/operation.ts'

const compactionsAmong = ({ items }: OperationOutput<'sessions.events'>) =>
  items.map(({ uuid, turn_id, ts_wall }) => ({ uuid, turn_id, timestamp: ts_wall }))

/** Returns the compactions of a session, oldest first. `undefined`: not known yet. */
export function useCompactions(sessionId: string): ReturnType<typeof compactionsAmong> | undefined {
  const input = { session_id: sessionId, kinds: 'compaction', order: 'oldest', limit: 200 } as const
  return useOperation('sessions.events', input, { select: compactionsAmong }).data
}
