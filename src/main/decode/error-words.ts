import type { Json } from '../../shared/event.ts'
import { filledString, listOf, objectOf } from '../../shared/json-fields.ts'

/**
 * Reads an error as servers and relays write it: `{error: {type, code, message}}`, `{error: "…"}`, `{message}`,
 * `{detail}`, `{detail: [{msg}]}`, `{errors: […]}`, any of them in a list, or the error itself.
 */
export function wordsOfError(body: Json | undefined) {
  const whole = objectOf(listOf(body)[0] ?? body)
  const { error, errors, detail } = whole
  const nested = [error, listOf(errors)[0], listOf(detail)[0]].map(objectOf)
  const found = nested.find((one) => Object.keys(one).length > 0) ?? whole
  const named = filledString(found['type']) ?? filledString(found['__type']) ?? filledString(found['status'])
  const texts = [found['message'], found['msg'], found['detail'], error, detail, whole['message']]
  return {
    type: named === 'error' ? null : named,
    code: filledString(found['code']),
    message: texts.map(filledString).find((text) => text !== null) ?? null,
  }
}
