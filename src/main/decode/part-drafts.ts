import type { DraftBase } from './draft-base.ts'
import { naturalKey, type AnyDraft } from './draft.ts'
import type { OmittedPart } from './usage.ts'

/** The response that parts belong to. */
interface PartsOf {
  /** Name of its answer; null if it has none. */
  readonly name: string | null
  readonly model: string
  readonly basis: 'measured' | 'lower_bound'
  readonly parents: readonly string[]
}

/** Decodes the parts that a response's totals omit: each has its own usage, under its own model. */
export function partDrafts(base: DraftBase, parts: readonly OmittedPart[], of: PartsOf): readonly AnyDraft[] {
  return parts.map(({ at, type, usage, ...part }): AnyDraft => {
    const { name, basis, parents } = of
    const fields = { model: part.model ?? of.model, usage, request_kind: 'side_call' as const, basis }
    return {
      ...base,
      kind: 'api_usage',
      payload: { ...fields, message_id: null, ttft_ms: null, part: type },
      keys: name === null ? [] : [naturalKey.usage(`${name}#${at}`)],
      parents,
      sighting: fields,
    }
  })
}
