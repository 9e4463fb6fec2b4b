import type { Json, JsonObject } from '../../../../shared/event.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import { uniqueId } from '../../unique-id.ts'
import type { AnswerPart, Continuation } from '../wire.ts'
import { callOf } from './outline.ts'
import { inputOf } from './request.ts'

/** A request may hold only new items and name the response that it continues (`previous_response_id`). */
export const continuation: Continuation = {
  continues(body: JsonObject, sessionId: string): string | null {
    const id = filledString(body['previous_response_id'])
    return id === null ? null : uniqueId(id, sessionId)
  },
  itemsOf: inputOf,
  join: (body: JsonObject, earlier: readonly Json[]): JsonObject => ({
    ...body,
    input: [...earlier, ...inputOf(body)],
  }),
  answerIn(event: JsonObject, sessionId: string): AnswerPart {
    const { type, item = null, response = null } = event
    const call = type === 'response.output_item.done' ? callOf(item) : null
    const id = type === 'response.completed' ? filledString(objectOf(response)['id']) : null
    return { id: id === null ? null : uniqueId(id, sessionId), calls: call === null ? [] : [call] }
  },
}
