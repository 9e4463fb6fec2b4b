import type { Logger } from 'pino'
import type { OverCap } from '../../../shared/contract/guard.ts'
import type { Payloads } from '../../../shared/event.ts'
import type { GuardedRequest } from '../guard-protocol.ts'

type Action = Payloads['guard_action']

/** Stores an action as an event of a session. */
export type StoreAction = (sessionId: string, payload: Action) => Promise<unknown>

/** Session of actions on requests that name no session. */
const NO_SESSION = 'unnamed-guard'

/** Records everything that the guard does as an event. An event that cannot be stored is logged. */
export function actionLog(store: StoreAction, logger: Pick<Logger, 'warn'>) {
  /** `id` names the request; `raisedTo` is the new limit of a raised cap. */
  return (
    id: string,
    action: Action['action'],
    by: Action['decided_by'],
    { cap, limit, used, guess }: OverCap,
    { agent_id, session_id }: GuardedRequest,
    raisedTo?: number,
  ): void => {
    const raised = raisedTo === undefined ? {} : { raised_to: raisedTo }
    const payload: Action = { action, cap, decided_by: by, limit, used, guess, ...raised, agent_id, id }
    store(session_id ?? NO_SESSION, payload).catch((error: unknown) => {
      logger.warn({ err: error, action, cap }, "could not store the guard's action")
    })
  }
}
