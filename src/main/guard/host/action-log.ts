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
export class ActionLog {
  readonly #store: StoreAction
  readonly #logger: Pick<Logger, 'warn'>

  constructor(store: StoreAction, logger: Pick<Logger, 'warn'>) {
    this.#store = store
    this.#logger = logger
  }

  /** `id` names the request; `raisedTo` is the new limit of a raised cap. */
  record(
    id: string,
    action: Action['action'],
    by: Action['decided_by'],
    over: OverCap,
    request: GuardedRequest,
    raisedTo?: number,
  ): void {
    const { cap, limit, used, guess } = over
    const raised = raisedTo === undefined ? {} : { raised_to: raisedTo }
    const payload: Action = {
      action,
      cap,
      decided_by: by,
      limit,
      used,
      guess,
      ...raised,
      agent_id: request.agent_id,
      id,
    }
    this.#store(request.session_id ?? NO_SESSION, payload).catch((error: unknown) => {
      this.#logger.warn({ err: error, action, cap }, "could not store the guard's action")
    })
  }
}
