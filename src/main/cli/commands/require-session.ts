import type { Client } from '../client.ts'

/** Throws `not_found` if a session is named that does not exist: nothing found says too little then. */
export async function requireSession(client: Client, session: string | undefined): Promise<void> {
  if (session !== undefined) await client.call('sessions.get', { session_id: session })
}
