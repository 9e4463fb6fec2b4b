import type { Json } from '../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'

/** Returns a limit as a number of tokens; null if it is not one. */
export const tokenLimit = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null

/** Returns the parts of a message, or the item itself if it has no content. */
export function contentOf(message: Json): readonly Json[] {
  const { content } = objectOf(message)
  if (typeof content === 'string') return [content]
  return content === undefined ? [message] : listOf(content)
}

/** Returns the messages after the newest prompt: those of the running turn. */
export const runningTurn = (messages: readonly Json[], isPrompt: (message: Json) => boolean): readonly Json[] =>
  messages.slice(messages.findLastIndex(isPrompt) + 1)

/** Returns a call as a text that is the same for each call of the tool with this input. */
export const comparableCall = (name: Json | undefined, input: Json | undefined): string =>
  `${stringOf(name) ?? ''} ${JSON.stringify(input ?? null)}`
