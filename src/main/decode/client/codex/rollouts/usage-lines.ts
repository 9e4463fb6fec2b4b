import type { JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { EventDraft } from '../../../draft.ts'
import { filledString, isObject, numberOf, objectOf } from '../../../../../shared/json-fields.ts'
import { countOf } from '../../../usage.ts'
import { readResponsesUsage, usageIdentity } from '../../../wire/openai-responses/usage.ts'
import { codexKey } from '../identity.ts'
import { remember } from './remembered.ts'

export interface UsageTerms {
  readonly model: string
  readonly parents: readonly string[]
  readonly webSearches: number
}

type UsageDraft = EventDraft<'api_usage'>

/** Decodes `token_usage_record`: the usage of one response, by its id. */
export function recordedUsage(base: DraftBase, record: JsonObject, terms: UsageTerms): UsageDraft | null {
  const id = filledString(record['response_id'])
  if (id === null || !isObject(record['usage'])) return null
  return usageDraft(base, record['usage'], terms, id, codexKey.usage(base.session_id, id))
}

/**
 * Counts usage of responses without a `token_usage_record` (before 0.150). `token_count` repeats: a new response is one
 * that changes the cumulative total, which no other response of its thread has.
 */
export class CountedUsage {
  readonly #threadKey: string
  #total: JsonObject = {}
  /** Figures of records that no count has repeated yet, and how often. Two versions of the client may share a file. */
  readonly #recorded = new Map<string, number>()

  constructor(threadKey: string) {
    this.#threadKey = threadKey
  }

  /** Takes the figures of a record: the count that follows reports the same without an id. */
  recorded(usage: JsonObject): void {
    const figures = figuresOf(usage)
    remember(this.#recorded, figures, (this.#recorded.get(figures) ?? 0) + 1)
  }

  /** Takes a `token_count` that is a copy: later totals continue from it. */
  copied(event: JsonObject): void {
    const total = objectOf(objectOf(event['info'])['total_token_usage'])
    if (keyOf(total) !== null) this.#total = total
  }

  /** Returns the usage of the response that a `token_count` reports; null if it reports none, or one that was counted. */
  take(base: DraftBase, event: JsonObject, turn: string | null, terms: UsageTerms): UsageDraft | null {
    const info = objectOf(event['info'])
    const total = objectOf(info['total_token_usage'])
    const key = keyOf(total)
    if (key === null || key === keyOf(this.#total)) return null
    // The oldest files have only totals.
    const last = isObject(info['last_token_usage']) ? info['last_token_usage'] : grownBy(total, this.#total)
    this.#total = total
    const tokens = (countOf(last['input_tokens']) ?? 0) + (countOf(last['output_tokens']) ?? 0)
    if (tokens === 0 || this.#isRecorded(last)) return null
    return usageDraft(base, last, terms, null, `codex-usage:${this.#threadKey}:${turn ?? ''}:${key}`)
  }

  #isRecorded(last: JsonObject): boolean {
    const figures = figuresOf(last)
    const times = this.#recorded.get(figures) ?? 0
    if (times > 1) this.#recorded.set(figures, times - 1)
    else this.#recorded.delete(figures)
    return times > 0
  }
}

const figuresOf = (usage: JsonObject): string =>
  `${numberOf(usage['input_tokens'])}-${numberOf(usage['output_tokens'])}`

const COUNTS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens']

/** Null if the line reports no total. */
function keyOf(total: JsonObject): string | null {
  const counts = COUNTS.slice(0, 3).map((name) => numberOf(total[name]))
  return counts[0] === null ? null : counts.join('-')
}

/** A total that decreased has restarted at 0, so all of it belongs to the response. */
function grownBy(total: JsonObject, before: JsonObject): JsonObject {
  const isNewCount = (numberOf(total['input_tokens']) ?? 0) < (numberOf(before['input_tokens']) ?? 0)
  const grown = (name: string) => (numberOf(total[name]) ?? 0) - (isNewCount ? 0 : (numberOf(before[name]) ?? 0))
  return Object.fromEntries(COUNTS.flatMap((name) => (total[name] === undefined ? [] : [[name, grown(name)]])))
}

function usageDraft(base: DraftBase, raw: JsonObject, terms: UsageTerms, id: string | null, key: string): UsageDraft {
  const usage = readResponsesUsage(raw, { webSearches: terms.webSearches })
  const facts = { usage, basis: 'measured' as const, model: terms.model }
  return {
    ...base,
    kind: 'api_usage',
    payload: {
      message_id: id,
      ...facts,
      request_kind: base.agent_id === null ? null : 'subagent',
      ttft_ms: null,
      ...(raw['cached_input_tokens'] === undefined ? { cache_unreported: true as const } : {}),
    },
    keys: [key],
    // The wire identifies usage by its response, so here it is matched by its tokens.
    ...(id === null ? { text_identity: usageIdentity(usage) } : {}),
    parents: terms.parents,
    sighting: facts,
  }
}
