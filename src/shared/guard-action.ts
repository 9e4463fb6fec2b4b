/** Payload of `guard_action`: the guard's action on a request over a cap. */
export interface GuardAction {
  /** held: waits for a person; the others ended the wait, or there was no wait. */
  readonly action: 'notified' | 'held' | 'allowed' | 'raised' | 'refused' | 'ended'
  /** Name of the cap in `[guard]`. */
  readonly cap: string
  /** person: by command, API or window; rule: the setting `action`; timeout; client: it left; stop: the app stopped. */
  readonly decided_by: 'person' | 'rule' | 'timeout' | 'client' | 'stop'
  readonly limit: number
  /** Amount spent and reserved before the request. USD, tokens or a count, by cap. */
  readonly used: number
  /** The request's own estimate. */
  readonly guess: number
  /** For `raised`: the new limit, until Aspy restarts. */
  readonly raised_to?: number
  readonly agent_id: string | null
  /** ID of the request while it waits. */
  readonly id: string
}
