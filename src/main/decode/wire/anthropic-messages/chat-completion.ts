import type { JsonObject } from '../../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'

/** True for an answer of OpenAI's chat API, or a piece of one, which a relay sends untranslated. */
export const isChatCompletion = ({ object, choices }: JsonObject): boolean =>
  Array.isArray(choices) && (object === undefined || String(object).startsWith('chat.completion'))

/** Returns the text of an answer of OpenAI's chat API, or of a piece of one. */
export function chatText({ choices }: JsonObject): string {
  const choice = objectOf(listOf(choices)[0])
  return stringOf(objectOf(choice['message'] ?? choice['delta'])['content']) ?? ''
}
