/** Why a CONNECT was refused, as counted in Health. */
export type RefusalReason =
  | 'no_key'
  | 'bad_target'
  | 'forbidden_address'
  | 'too_many'
  | 'not_connect'
  | 'unreachable'
  | 'timeout'
  | 'outer_proxy'
  | 'away'

const STATUS: Readonly<Record<RefusalReason, number>> = {
  no_key: 407,
  bad_target: 400,
  forbidden_address: 403,
  too_many: 503,
  not_connect: 405,
  unreachable: 502,
  timeout: 504,
  outer_proxy: 502,
  away: 503,
}

/** A CONNECT that the tunnel does not carry out. The message says what happened and what to do. */
export class Refusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string) {
    super(message)
    this.name = 'Refusal'
    this.reason = reason
  }

  get status(): number {
    return STATUS[this.reason]
  }
}
