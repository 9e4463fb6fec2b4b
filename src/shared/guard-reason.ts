import type { OverCap, UnpricedReason } from './contract/guard.ts'
import type { OperationOutput } from './contract/index.ts'
import { capAmount, capName } from './guard-action-text.ts'
import { formatUsd } from './usd.ts'

/** Describes the cap that a request would exceed, for people. */
export function reasonOf({ cap, scope, limit, used, guess, project }: OverCap): string {
  if (cap === 'unpriced') return `${UNPRICED_TEXTS[scope as UnpricedReason] ?? 'it has no price'}, and fail_open is off`
  const own = project === undefined ? '' : ` for ${project}`
  return `${wouldBe(cap, used, guess, project)}; your ${capName(cap)}${own} is ${capAmount(cap, limit)}`
}

function wouldBe(cap: OverCap['cap'], used: number, guess: number, project: string | undefined): string {
  if (cap === 'repeat_calls') return `the same tool call was made ${used + 1} times in this turn`
  if (cap === 'agents_per_turn') return `this turn would start ${used + 1} agents`
  if (cap === 'growing_fan_out')
    return `agents would start agents, or turns more agents each, ${used + 1} times in a row`
  const whole = cap.replace(/_(?:usd|tokens)$/, '')
  const place = project !== undefined && /^(?:hour|day)$/.test(whole) ? ` in ${project}` : ''
  return whole === 'request'
    ? `this request is estimated at up to ${capAmount(cap, guess)}`
    : `with this request, ${WHOLES[whole] ?? whole}${place} is estimated at up to ${capAmount(cap, used + guess)} ` +
        `(${capAmount(cap, used)} without it)`
}

/** What the amounts of a cap add up to. */
const WHOLES: { readonly [whole: string]: string } = {
  session: 'the session',
  agent_tree: 'the agent with its subagents',
  hour: 'the last hour',
  day: 'today',
}

type Status = Pick<OperationOutput<'guard.get'>, 'in_flight' | 'most_in_flight' | 'strict' | 'lower_bound' | 'passed'>

/** Says what a cap may be exceeded by, for people. `moment` formats a time. */
export function guardNotes(status: Status, moment: (iso: string) => string): string[] {
  const { in_flight: now, most_in_flight: most, strict, lower_bound, passed } = status
  const { requests, usd: more } = lower_bound
  const beyond = strict ? 'one answer' : `the answers in flight: ${now} now, ${most} at most since the start`
  const early = `Ended early: ${requests}. ${formatUsd(more)} counts for them beyond their usage: a lower bound.`
  return [
    ...(most === 0 ? [] : [`A cap may be exceeded by ${beyond}.`]),
    ...(requests === 0 ? [] : [early]),
    ...passed.map(
      (one) =>
        `Passed unpriced by fail_open: ${one.requests}, ${UNPRICED_TEXTS[one.reason]} (last ${moment(one.last_at)}` +
        `${one.last_session_id === null ? '' : `, session ${one.last_session_id}`}).`,
    ),
  ]
}

/** Why a request has no price, for people. */
export const UNPRICED_TEXTS: { readonly [reason in UnpricedReason]: string } = {
  late: 'it was not priced within decide_ms',
  down: "the guard's thread did not run",
  failed: 'the database could not be read',
  too_large: 'its body is over 16 MiB',
  unreadable: 'its body could not be read',
  no_price: 'its model has no price, so only tokens count',
}
