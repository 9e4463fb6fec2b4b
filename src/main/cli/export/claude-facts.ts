import { answerNameIn, ownNameSource } from '../../store/identity/key-forms.ts'
import type { Exported } from '../../session-page/exported.ts'
import { stringOf } from '../../../shared/json-fields.ts'

/** Facts that Claude Code repeats on each line of an answer and that come from other events. */
export interface AnswerFacts {
  readonly model: string | null
  /** In the API's own form. */
  readonly usage: object | null
  readonly stopReason: string | null
  /** A call that is not part of the conversation: a title, a summary, a probe. */
  readonly isSide: boolean
}

type Payload = { readonly [key: string]: unknown }

const UNKNOWN: AnswerFacts = { model: null, usage: null, stopReason: null, isSide: false }
const IN_CONVERSATION: ReadonlySet<unknown> = new Set([null, undefined, 'prompt', 'loop', 'subagent'])

/**
 * Returns the names of the answer that an event belongs to: the id of its message or, if several answers share that id,
 * names of our own.
 */
export function answerNames({ event, keys }: Exported): readonly string[] {
  const own = keys.flatMap((key) => answerNameIn(key) ?? []).filter((name) => ownNameSource(name) !== null)
  if (own.length > 0) return own
  return 'message_id' in event.payload && typeof event.payload.message_id === 'string' ? [event.payload.message_id] : []
}

/** Reads all events once and collects the facts of each answer by its names. */
export async function answerFacts(events: AsyncIterable<Exported>): Promise<ReadonlyMap<string, AnswerFacts>> {
  const found = new Map<string, AnswerFacts>()
  for await (const exported of events) {
    const { event, keys } = exported
    const payload: Payload = event.payload
    const learn = (names: readonly string[], facts: Partial<AnswerFacts>): void => {
      for (const name of names) found.set(name, { ...(found.get(name) ?? UNKNOWN), ...facts })
    }
    if (event.kind === 'api_usage')
      learn(answerNames(exported), {
        model: stringOf(payload['model']),
        usage: apiUsage(payload),
        isSide: !IN_CONVERSATION.has(payload['request_kind']),
      })
    if (event.kind === 'model_response' && stringOf(payload['stop_reason']) !== null)
      learn(answerNames(exported), { stopReason: stringOf(payload['stop_reason']) })
    if (event.kind === 'turn_ended')
      learn(
        keys.flatMap((key) => answerNameIn(key) ?? []),
        { stopReason: stringOf(payload['reason']) },
      )
  }
  return found
}

/** Turns a stored usage back into the form of the Messages API. */
function apiUsage(payload: Payload): object {
  const usage = (payload['usage'] ?? {}) as Payload
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0)
  const [written, hour] = [count('cache_creation_input_tokens'), count('cache_creation_1h_input_tokens')]
  const thinking = usage['thinking_tokens']
  return {
    input_tokens: count('input_tokens'),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: count('cache_read_input_tokens'),
    output_tokens: count('output_tokens'),
    cache_creation: { ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour },
    ...(typeof thinking === 'number' ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
    ...(count('web_search_requests') > 0
      ? { server_tool_use: { web_search_requests: count('web_search_requests') } }
      : {}),
    service_tier: usage['service_tier'] ?? null,
    ...(usage['speed'] == null ? {} : { speed: usage['speed'] }),
    ...(usage['inference_geo'] == null ? {} : { inference_geo: usage['inference_geo'] }),
    ...(payload['iterations'] === undefined ? {} : { iterations: payload['iterations'] }),
  }
}
