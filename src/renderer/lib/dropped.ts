import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import { isPacked, type PackedHit } from './pack-store.ts'

type Dropped = OperationOutput<'compactions.dropped'>
export type DroppedText = Dropped['items'][number]

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

/** Returns the call that touched a dropped file, or a dropped output, as a hit of the pack. */
export const droppedCall = ({ uuid, result_uuid }: DroppedCall): PackedHit => ({
  uuid: result_uuid ?? uuid,
  match_type: 'tool',
})

/** A call of which a file or the output was dropped. */
export interface DroppedCall {
  readonly uuid: string
  readonly result_uuid?: string
}

/** Returns the hits that are copied, oldest first, and what they are called: those in the pack, or else `lost`. */
export function hitsToCopy(
  { items, files, outputs }: Pick<Dropped, 'items' | 'files' | 'outputs'>,
  lost: readonly DroppedText[],
  packed: readonly PackedHit[],
): { readonly hits: readonly PackedHit[]; readonly noun: 'checked hit' | 'lost message' } {
  const asText = (item: DroppedText) => ({ hit: droppedHit(item), timestamp: item.timestamp })
  const touched = [...files, ...outputs].map((call) => ({ hit: droppedCall(call), timestamp: call.timestamp }))
  const checked = [...items.map(asText), ...touched].filter(({ hit }) => isPacked(packed, hit))
  const chosen = checked.length > 0 ? checked : lost.map(asText)
  const inTime = chosen.toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
  return { hits: inTime.map(({ hit }) => hit), noun: checked.length > 0 ? 'checked hit' : 'lost message' }
}
