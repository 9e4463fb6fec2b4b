import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import type { PackedHit } from './pack-store.ts'

export type DroppedText = OperationOutput<'compactions.dropped'>['items'][number]

/** Returns the input that reads what a compaction dropped, the same in each view so that it is read once. */
export const droppedInput = (uuid: string, words = ''): OperationInput<'compactions.dropped'> => ({
  uuid,
  limit: 60,
  query: words === '' ? undefined : words,
})

/** The kinds of hits that Recall gives these texts, so that a text is the same hit in both. */
const HIT_TYPES = { user_prompt: 'user_prompt', assistant_text: 'assistant_response', thinking: 'thinking' } as const

/** Returns a dropped text as a hit of the pack. */
export const droppedHit = ({ uuid, kind }: DroppedText): PackedHit => ({ uuid, match_type: HIT_TYPES[kind] })

/** Returns the call that touched a dropped file as a hit of the pack. */
export const droppedFile = ({ uuid }: { readonly uuid: string }): PackedHit => ({ uuid, match_type: 'tool' })
