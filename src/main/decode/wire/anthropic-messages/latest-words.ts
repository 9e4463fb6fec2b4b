import type { Json, JsonObject, RequestKind } from '../../../../shared/event.ts'
import { refusesEnd } from '../../client/claude-code/client-sentences.ts'
import { userInputs } from '../../client/claude-code/prompt-text.ts'
import { isObject, listOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import type { LatestWords } from '../wire.ts'

/**
 * Compares what two requests hold after the last answer. The client drops an answer without visible content and sends
 * the same messages again, joined with its own notice (2.1.330, 2.1.332): regardless of the notice's text and wrapping,
 * the prompt before it is not a new one.
 */

/** Returns the content of the user's messages after the last answer, to compare the next request with. */
export function latestWords(messages: readonly JsonObject[], lastAnswer: number, hash: HashText): LatestWords {
  const words = blocksAfter(messages, lastAnswer).map(wordsOf).join('\n')
  return { after: lastAnswer, length: words.length, hash: hash(words) }
}

/**
 * True if the user's messages repeat those of the previous request after the same answer, followed only by the client's
 * text; a request for a summary may add nothing: Copilot CLI sends one beside the prompt that it repeats (1.0.102).
 */
export function addsOnlyClientText(
  messages: readonly JsonObject[],
  lastAnswer: number,
  previous: LatestWords | undefined,
  hash: HashText,
  requestKind: RequestKind = 'prompt',
): boolean {
  if (previous?.after !== lastAnswer) return false
  const blocks = blocksAfter(messages, lastAnswer)
  const words = blocks.map(wordsOf)
  const joined = words.join('\n')
  const isSame = joined.length === previous.length && requestKind === 'compaction'
  if (!isSame && joined[previous.length] !== '\n') return false
  if (hash(joined.slice(0, previous.length)) !== previous.hash) return false
  return userInputs(behind(words, previous.length)).length === 0
}

/** True if a Stop hook refused the last answer as the end of the turn. */
export function endIsRefused(messages: readonly JsonObject[]): boolean {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  const blocks = blocksAfter(messages, lastAnswer)
  return blocks.some((block) => isObject(block) && refusesEnd(stringOf(block['text']) ?? ''))
}

/**
 * Returns the texts after the first `length` characters of all of them; the text that is split there loses its
 * beginning.
 */
function behind(words: readonly string[], length: number): readonly Json[] {
  let from = length + 1
  return words.flatMap((text) => {
    const rest = text.slice(Math.max(0, from))
    from -= text.length + 1
    return rest === '' ? [] : [{ type: 'text', text: rest }]
  })
}

const blocksAfter = (messages: readonly JsonObject[], lastAnswer: number): readonly Json[] =>
  messages
    .slice(lastAnswer + 1)
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)))

/** A block as comparable text: joining adds line breaks, and cache marks move. */
function wordsOf(block: Json): string {
  if (!isObject(block)) return JSON.stringify(block)
  const text = block['type'] === 'text' ? stringOf(block['text']) : null
  if (text !== null) return text.trimEnd()
  const { cache_control: _, ...rest } = block
  return JSON.stringify(rest)
}
