import { UNKNOWN_CLIENT, type ClientFact } from '../../decode/client/client-fact.ts'
import type { SessionRow } from './session-row.ts'

/**
 * Settles a session's client: the most certain source wins, and among equals the latest, since a newer version may resume a
 * session. The result does not depend on the order of arrival.
 */
export function learnClient(row: SessionRow, fact: ClientFact | null, at: string): void {
  if (fact === null) return
  const known = [row.client_certainty, row.client_at ?? '', nameOf(row.client, row.client_version)] as const
  const next = [fact.certainty, at, nameOf(fact.client ?? UNKNOWN_CLIENT, fact.version)] as const
  const differs = next.findIndex((part, place) => part !== known[place])
  if (differs < 0 || (next[differs] ?? '') < (known[differs] ?? '')) return
  row.client = fact.client ?? UNKNOWN_CLIENT
  row.client_version = fact.version
  row.client_certainty = fact.certainty
  row.client_at = at
}

const nameOf = (client: string, version: string | null): string => `${client} ${version ?? ''}`
