import type { Json } from '../../../../shared/event.ts'
import { joinMessage } from '../../../requests/request-codec.ts'
import type { Ingest } from '../../../store/ingest/ingest.ts'
import type { StoredConversation } from './unnamed-sessions.ts'

/** Reads the newest conversations of callers that name no session, by the beginning of their session ids. */
export function storedConversations(
  ingest: Pick<Ingest, 'sessionsStartingWith' | 'lastRequest' | 'getContent'>,
  beginning: string,
  limit: number,
): readonly StoredConversation[] {
  const read = (hash: string) => JSON.parse(ingest.getContent(hash) ?? 'null') as Json
  return ingest.sessionsStartingWith(`${beginning}-`, limit).flatMap((sessionId) => {
    const last = ingest.lastRequest(sessionId, null)
    return last
      ? [{ sessionId, uuid: last.uuid, messages: last.messages.map((message) => joinMessage(message, read)) }]
      : []
  })
}
