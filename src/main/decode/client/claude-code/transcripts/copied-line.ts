import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { filledString, isObject } from '../../../../../shared/json-fields.ts'
import type { TranscriptContext } from '../../../transcript-decoder.ts'

/** Returns a line whose `message` is a plain text, or the blocks alone, with a message that has them. */
export function withContent(line: Json | undefined): Json | undefined {
  if (!isObject(line)) return line
  const { type = null, message } = line
  const isPlain = (type === 'user' || type === 'assistant') && (typeof message === 'string' || Array.isArray(message))
  return isPlain ? { ...line, message: { role: type, content: message } } : line
}

const REFERENCES = ['uuid', 'parentUuid', 'logicalParentUuid', 'leafUuid'] as const

/**
 * Returns a line that another program copied under a uuid of its own as the client's own fork would have copied it:
 * under the uuid of its original, and naming that. References to such lines follow.
 */
export function asForked(line: JsonObject, originalOf: TranscriptContext['originalOf']): JsonObject {
  if (originalOf === undefined) return line
  let named: JsonObject = line
  for (const name of REFERENCES) {
    const original = originalOf(filledString(line[name]) ?? '')
    if (original === undefined) continue
    named = { ...named, [name]: original.uuid }
    const { sessionId, uuid: messageUuid } = original
    if (name === 'uuid' && line['forkedFrom'] === undefined)
      named = { ...named, forkedFrom: { sessionId, messageUuid } }
  }
  return named
}
