import type { Json, JsonObject } from '../../../../shared/event.ts'
import { filledString } from '../../json-access.ts'
import { uniqueId } from '../../unique-id.ts'
import type { Continuation } from '../wire.ts'
import { inputOf } from './request.ts'

/** A request may hold only what is new, and name the response that it continues (`previous_response_id`). */
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
}
