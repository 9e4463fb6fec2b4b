import { parseJson } from '../../decode/json-access.ts'
import { isObject, stringOf } from '../../../shared/json-fields.ts'
import { wireOfBody } from '../../decode/wire/wire-of.ts'
import type { RequestOutline } from '../../decode/wire/wire.ts'
import { estimateTokens } from '../../requests/estimate-tokens.ts'
import { NOTHING_EARLIER, pairs, type Earlier } from './plain-request.ts'

/** The facts that the guard needs about a request. */
export interface ReadRequest {
  /** null if the request names none. */
  readonly sessionId: string | null
  readonly agentId: string | null
  readonly parentAgentId: string | null
  readonly project: string | null
  readonly model: string
  /** Estimated tokens of system, tools and messages, as far as the request has them. */
  readonly inputTokens: number
  /** It has only new items: the API adds them to the earlier conversation. */
  readonly isContinued: boolean
  /** Upper bound of the response; null if the request names none. */
  readonly maxTokens: number | null
  readonly terms: RequestOutline['terms']
  readonly isCaching: boolean
  /** Those of `inputTokens` at the beginning of the request that are kept for an hour. */
  readonly hourTokens: number
  /** The running turn, including the continued conversation: for each message, its calls. */
  readonly turn: readonly (readonly string[])[]
  /** The number of equal calls of one tool in this turn, and that call; only if the newest message repeats it. */
  readonly repeats: { readonly count: number; readonly call: string }
  /**
   * The newest message is a person's prompt in a request with tools: a turn begins. The client's own requests have no
   * tools.
   */
  readonly beginsTurn: boolean
  readonly messages: number
}

/**
 * Reads a request of any API that is recorded, and the conversation that it continues; null if it names no model. The
 * body is untrusted.
 */
export function readRequest(
  headers: readonly string[],
  bytes: Uint8Array,
  wall: number,
  earlier: Earlier = NOTHING_EARLIER,
): ReadRequest | null {
  const body = parseJson(new TextDecoder().decode(bytes))
  if (!isObject(body)) return null
  const model = stringOf(body['model'])
  if (model === null) return null
  const wire = wireOfBody(body)
  // The hash is only used for conversations without a session id, which are not distinguished here.
  const sender = wire.identify({ headers: pairs(headers), wall }, body, () => '')
  const { parts, hourParts, turn: newest, isPrompted, hasTools, messages, ...outline } = wire.outline(body)
  const turn = isPrompted ? newest : [...earlier.turn, ...newest]
  const sizes = parts.map((part) => estimateTokens(part))
  return {
    sessionId: sender.unnamed === null || sender.isNamed === true ? sender.sessionId : null,
    agentId: sender.agentId,
    parentAgentId: sender.parentAgentId,
    project: sender.project,
    model,
    inputTokens: sum(sizes),
    ...outline,
    hourTokens: sum(sizes.slice(0, hourParts)),
    turn,
    repeats: repeatsIn(turn),
    messages: earlier.messages + messages,
    beginsTurn: turn.length === 0 && (hasTools || outline.isContinued),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Counts calls of one tool with one input in a turn, for the calls of its newest answer. */
function repeatsIn(turn: RequestOutline['turn']): ReadRequest['repeats'] {
  const counts = new Map<string, number>()
  for (const call of turn.flat()) counts.set(call, (counts.get(call) ?? 0) + 1)
  const most = { count: 0, call: '' }
  for (const call of turn.findLast((calls) => calls.length > 0) ?? []) {
    const count = counts.get(call) ?? 0
    if (count > most.count) Object.assign(most, { count, call })
  }
  return most
}
