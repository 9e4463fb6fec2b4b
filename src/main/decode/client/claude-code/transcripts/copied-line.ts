import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString } from '../../../../../shared/json-fields.ts'
import type { TranscriptContext } from '../../../transcript-decoder.ts'

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
