import type { Json, RequestKind } from '../../../../shared/event.ts'
import { apiPathOf } from '../../../proxy/protocol/api-path.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../../headers.ts'
import { isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { isAnswer, typeOf } from '../../wire/openai-responses/items.ts'
import { turnMetadata } from './identity.ts'
import { userInput } from './prompts.ts'

/** Returns the reason why a request was sent. The first rule that applies decides. */
export function requestKindOf(
  headers: RawHeaders,
  path: string,
  body: { readonly [key: string]: Json },
  isSubagent: boolean,
): RequestKind {
  const input = listOf(body['input']).map(objectOf)
  const { requestKind, threadSource } = turnMetadata(headers, body)
  const last = input.at(-1)
  if (isCompactPath(path) || last?.['type'] === 'compaction_trigger' || requestKind === 'compaction')
    return 'compaction'
  if (body['generate'] === false || requestKind === 'prewarm') return 'warmup'
  if (isSubagent) return 'subagent'
  // The client's own requests: a review of a command, a memory, a title.
  if ((requestKind !== null && requestKind !== 'turn') || threadSource === 'thread_title') return 'side_call'
  if (headerOf(headers, 'x-openai-subagent') !== null) return 'side_call'
  return hasNewInput(input) || typeof body['input'] === 'string' ? 'prompt' : 'loop'
}

/** The endpoint that earlier versions used: it answers with the shortened conversation. */
const isCompactPath = (path: string): boolean => /^compact$/i.test(apiPathOf(path)?.below ?? '')

/** True if the user said something after the model's last item. */
function hasNewInput(input: readonly { readonly [key: string]: Json }[]): boolean {
  const lastAnswer = input.findLastIndex((item) => isAnswer(item))
  return input
    .slice(lastAnswer + 1)
    .some((item) => isObject(item) && typeOf(item) === 'message' && item['role'] === 'user' && userInput(item) !== null)
}
