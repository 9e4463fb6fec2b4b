import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import type { PackedHit } from './pack-store.ts'

export type DroppedText = OperationOutput<'compactions.dropped'>['items'][number]

/** Token limit of the pack of dropped messages. */
const DROPPED_PACK_TOKENS = 4000

/** Returns the input that reads what a compaction dropped, the same in each view so that it is read once. */
export const droppedInput = (uuid: string, words = ''): OperationInput<'compactions.dropped'> => ({
  uuid,
  limit: 60,
  budget: DROPPED_PACK_TOKENS,
  query: words === '' ? undefined : words,
})

/** The kinds of hits that Recall gives these texts, so that a text is the same hit in both. */
const HIT_TYPES = { user_prompt: 'user_prompt', assistant_text: 'assistant_response', thinking: 'thinking' } as const

/** Returns a dropped text as a hit of the pack. */
export const droppedHit = ({ uuid, kind }: DroppedText): PackedHit => ({ uuid, match_type: HIT_TYPES[kind] })
