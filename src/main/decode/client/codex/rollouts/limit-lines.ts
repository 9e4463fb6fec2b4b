import type { JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { objectOf } from '../../../../../shared/json-fields.ts'
import { responseLimitsKey } from '../../../wire/openai-responses/keys.ts'
import { limitsOfEvent } from '../../../wire/openai-responses/limits.ts'

/**
 * Reads the account's limits from `token_count`. The line follows its response's `token_usage_record`, which names the response:
 * the wire recorded the same limits with it. Files without records (before 0.150) report limits when they change.
 */
export class LimitLines {
  #response: string | null = null
  #hasRecords = false
  #last = ''

  /** A response was named: the next limits came with it. */
  answered(responseId: string | null): void {
    this.#hasRecords = true
    this.#response = responseId
  }

  /** Returns the limits that a `token_count` reports; none if it repeats them. */
  take(base: DraftBase, event: JsonObject, lineKey: string | null, parents: readonly string[]): readonly AnyDraft[] {
    const limits = limitsOfEvent(objectOf(event['rate_limits']))
    const response = this.#response
    this.#response = null
    const said = JSON.stringify(limits)
    const isNew = this.#hasRecords ? response !== null : said !== this.#last
    this.#last = said
    if (said === '{}' || !isNew) return []
    const key = response === null ? lineKey : responseLimitsKey(base.session_id, response)
    return key === null ? [] : [{ ...base, kind: 'rate_limit', payload: { limits }, keys: [key], parents }]
  }
}
