import type { Json } from '../../../../shared/event.ts'
import { isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { isReminder } from '../../client/message-texts.ts'
import type { HashText } from '../../media.ts'

const digests = new WeakMap<object, string>()

/**
 * Identifies a message by its content, so that it stays the same in any form: a text as a string or as a block, with or
 * without `cache_control`, an image as bytes or as a reference. Thinking is left out, because callers may drop it,
 * and so are reminders, which they move.
 */
export function messageDigest(message: Json, hash: HashText): string {
  if (!isObject(message)) return hash(JSON.stringify(message))
  const known = digests.get(message)
  if (known !== undefined) return known
  const { role, content } = message
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const digest = hash(JSON.stringify([role ?? null, blocks.flatMap(spoken)]))
  digests.set(message, digest)
  return digest
}

/** The digest of an answer, as the message that the next request repeats it in. */
export function answerDigest(texts: readonly string[], callIds: readonly string[], hash: HashText): string {
  const content = [...texts.map((text) => ({ type: 'text', text })), ...callIds.map((id) => ({ type: 'tool_use', id }))]
  return messageDigest({ role: 'assistant', content }, hash)
}

function spoken(block: Json): readonly Json[] {
  const { type, text, id, tool_use_id: callId } = objectOf(block)
  switch (stringOf(type)) {
    case 'text':
      return isReminder(stringOf(text) ?? '') ? [] : [stringOf(text) ?? '']
    case 'tool_use':
      return [['call', id ?? null]]
    case 'tool_result':
      return [['result', callId ?? null]]
    case 'thinking':
    case 'redacted_thinking':
      return []
    default:
      return [type ?? null]
  }
}
