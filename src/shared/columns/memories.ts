import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

type Memory = OperationOutput<'memories.list'>['items'][number]

/** Returns the memory of an event: the fact, else the note, else the event itself. */
export const rememberedText = ({ fact, note, content }: Pick<Memory, 'fact' | 'note' | 'content'>): string =>
  fact !== '' ? fact : (note ?? content)

/** Remembered events, as `memories.list` returns them. */
export const memoriesTable = tableOf<Memory>()({
  columns: {
    timestamp: { name: 'Time', format: 'moment' },
    category: { name: 'Category', max: 20 },
    confidence: { name: 'Confidence', align: 'right' },
    source: { name: 'By', max: 20 },
    evidence_count: { name: 'Events', format: 'exact' },
    uuid: { name: 'Event' },
    fact: { name: 'Remembered', of: rememberedText, max: 100 },
  },
})
