import { isoTime, type DraftBase } from '../draft-base.ts'
import { naturalKey, type EventDraft } from '../draft.ts'
import type { RequestExchange, RequestHistory, RequestLookups, SessionIdentity } from './wire.ts'

/** Returns the fields of every draft of a request. */
export const requestBase = (exchange: RequestExchange, identity: SessionIdentity): DraftBase => ({
  source: 'wire',
  session_id: identity.sessionId,
  agent_id: identity.agentId,
  ts_wall: isoTime(exchange.wall),
  ts_monotonic: exchange.at,
  account: identity.account,
  project: identity.project,
})

type Payload = EventDraft<'model_request'>['payload']

/** Makes the event of a request; `told` is what its API's decoder read of it. */
export const requestDraft = (
  base: DraftBase,
  { exchange: uuid, method, path, headers, isUnproven }: RequestExchange,
  history: RequestHistory,
  { bodyBytes = 0 }: RequestLookups,
  parents: readonly string[],
  told: Pick<Payload, 'request_kind' | 'model' | 'message_count' | 'client'>,
): EventDraft<'model_request'> => ({
  ...base,
  uuid,
  kind: 'model_request',
  payload: {
    exchange_id: uuid,
    request_kind: told.request_kind,
    method,
    path,
    model: told.model,
    headers,
    request: null,
    message_count: told.message_count,
    body_bytes: bodyBytes,
    retry_of: history.identicalToPrevious ? history.previousRequestUuid : null,
    ...(told.client === undefined ? {} : { client: told.client }),
    ...(isUnproven === true ? { unproven_sender: true } : {}),
  },
  keys: [naturalKey.exchange(uuid, 'request')],
  parents,
})
