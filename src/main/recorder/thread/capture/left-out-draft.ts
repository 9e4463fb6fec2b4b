import { isoTime } from '../../../decode/draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../decode/draft.ts'
import type { LeftOut } from '../../../decode/left-out.ts'
import type { TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { RequestIdentity } from './conversation.ts'

/** Returns the error event of a part of an exchange that could not be decoded. */
export function leftOutDraft(
  open: Extract<TapMessage, { readonly type: 'open' }>,
  { sessionId, agentId }: RequestIdentity,
  { reason, message: why }: LeftOut,
): AnyDraft {
  const message = `part of this exchange could not be decoded: ${why}`
  const key = `${naturalKey.exchange(open.exchange, 'error')}:capture`
  return {
    kind: 'error',
    source: 'wire',
    payload: { origin: 'capture', type: reason, message, status: null },
    session_id: sessionId,
    agent_id: agentId,
    ts_wall: isoTime(open.wall),
    ts_monotonic: open.at,
    success: false,
    error_message: message,
    keys: [reason === 'decode_failed' ? key : `${key}:${reason}`],
    parents: [naturalKey.exchange(open.exchange, 'request')],
  }
}
