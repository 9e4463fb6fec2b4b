import type { Json, JsonObject, RequestKind } from '../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'
import { promptText } from './claude-code/prompt-text.ts'
import { textsOf } from './message-texts.ts'
import type { WireClient } from './wire-client.ts'

/**
 * Returns a request's body without the texts that the client itself wrote into the user's messages: the summary that
 * begins a compacted conversation, with the repeated prompts before it, the request for a summary, and its own sentences.
 */
export function withoutClientTexts(client: WireClient, body: JsonObject, requestKind: RequestKind): JsonObject {
  const messages = listOf(body['messages'])
  const asking = requestKind === 'compaction' ? messages.findLastIndex(isOfUser) : -1
  return {
    ...body,
    messages: messages.map((message, at) => {
      if (!isOfUser(message)) return withoutOwnAnswer(client, message)
      const { content } = objectOf(message)
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
      const from = at === 0 ? blocks.findLastIndex((block) => begins(client.summaries, textOf(block))) + 1 : 0
      const last = at === asking ? blocks.findLastIndex((block) => textOf(block) !== null) : -1
      return {
        ...objectOf(message),
        content: blocks.flatMap((block, index) =>
          index < from || index === last || begins(client.sentences, textOf(block)) ? [] : [withoutMark(client, block)],
        ),
      }
    }),
  }
}

/** Returns a message of the model without an answer that the client wrote in its place. */
function withoutOwnAnswer({ ownAnswer }: WireClient, message: Json): Json {
  if (ownAnswer === undefined) return message
  const content = listOf(objectOf(message)['content']).filter((block) => textOf(block) !== ownAnswer)
  return content.length === listOf(objectOf(message)['content']).length ? message : { ...objectOf(message), content }
}

/** Returns the prompt in the first message of an agent's conversation: its last text, after what the client adds. */
export function agentPromptOf(client: WireClient, body: Json | null): string {
  const [first] = listOf(objectOf(body)['messages'])
  const texts = textsOf(objectOf(first)['content']).map((text) => promptText(text.replace(client.mark ?? '', '')))
  return texts.findLast((text) => text !== '') ?? ''
}

const isOfUser = (message: Json): boolean => objectOf(message)['role'] === 'user'

function textOf(block: Json): string | null {
  const { type, text } = objectOf(block)
  return type === 'text' ? stringOf(text) : null
}

function begins(openings: readonly string[] | undefined, text: string | null): boolean {
  const trimmed = text?.trimStart() ?? ''
  return openings?.some((opening) => trimmed.startsWith(opening)) ?? false
}

function withoutMark({ mark }: WireClient, block: Json): Json {
  const text = textOf(block)
  return mark === undefined || text === null ? block : { ...objectOf(block), text: text.replace(mark, '') }
}
