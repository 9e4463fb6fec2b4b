import type { Json, StoredMessage } from '../../../../shared/event.ts'
import type { Ingest } from '../../../store/ingest/ingest.ts'
import type { StoredConversation } from './unnamed-sessions.ts'

/** Reads the newest conversations of callers that name no session, by the beginning of their session ids. */
export function storedConversations(
  ingest: Pick<Ingest, 'sessionsStartingWith' | 'lastRequest' | 'getContent'>,
  beginning: string,
  limit: number,
): readonly StoredConversation[] {
  const messageOf = ({ role, blocks, plain }: StoredMessage): Json => {
    const parts = blocks.map((hash) => JSON.parse(ingest.getContent(hash) ?? 'null') as Json)
    if (role === '') return parts[0] ?? null
    return { role, content: plain === true ? (parts[0] ?? null) : parts }
  }
  return ingest.sessionsStartingWith(`${beginning}-`, limit).flatMap((sessionId) => {
    const last = ingest.lastRequest(sessionId, null)
    return last ? [{ sessionId, uuid: last.uuid, messages: last.messages.map(messageOf) }] : []
  })
}
