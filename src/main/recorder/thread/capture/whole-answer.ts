import type { AnyDraft } from '../../../decode/draft.ts'
import type { HashText } from '../../../decode/media.ts'
import type { RepeatedConversation } from '../../../decode/wire/wire.ts'

/** Returns the digest by which the next request's copy of an answer is recognized. */
export function answerDigest(repeated: RepeatedConversation, drafts: readonly AnyDraft[], hash: HashText): string {
  const texts = drafts.flatMap((draft) => (draft.kind === 'assistant_text' ? [draft.payload.text] : []))
  const calls = drafts.flatMap((draft) => (draft.kind === 'tool_call' ? [draft.payload.call_id] : []))
  return repeated.answerDigest(texts, calls, hash)
}

export const isWholeAnswer = (draft: AnyDraft): boolean =>
  draft.kind === 'model_response' && draft.payload.message_id !== null && draft.payload.cut_by === null
