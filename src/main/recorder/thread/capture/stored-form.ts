import type { AnyDraft } from '../../../decode/draft.ts'
import { betasOf } from '../../../decode/wire/betas.ts'
import type { TakenRequest } from './conversation.ts'

/** Gives a request its stored form, after redaction: that form is redacted already, and its hashes must not change. */
export function withStoredForm(draft: AnyDraft, taken: ReadonlyMap<string, TakenRequest>): AnyDraft {
  if (draft.kind !== 'model_request') return draft
  const found = taken.get(draft.payload.exchange_id)
  if (found === undefined) return draft
  const shape = { ...found.shape, betas: betasOf(draft.payload.headers) }
  return { ...draft, payload: { ...draft.payload, request: found.request, shape } }
}
