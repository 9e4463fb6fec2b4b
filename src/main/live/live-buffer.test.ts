import { expect, test } from 'vitest'
import type { Delta } from '../../shared/live-feed.ts'
import { createLiveBuffer } from './live-buffer.ts'

const delta = (text: string, fields: Partial<Delta> = {}): Delta => ({
  session_id: 's',
  agent_id: null,
  exchange_id: 'x',
  index: 0,
  block: 'text',
  text,
  ...fields,
})
const texts = (deltas: readonly Delta[]) => deltas.map(({ text }) => text)

test('what a reader takes gives back the room that its text took, each time', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 10 })
  for (let round = 0; round < 50; round += 1) {
    buffer.add([], [delta('12345'), delta('6789'), delta('too long'), delta('0')])
    expect(texts(buffer.take().deltas)).toEqual(['1234567890'])
    expect(buffer.isEmpty).toBe(true)
  }
})

test('the bound counts the text of all blocks together, and what it refuses takes no room', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 10 })
  buffer.add([], [delta('123456'), delta('refused', { index: 1 }), delta('7890', { index: 2 })])
  expect(texts(buffer.take().deltas)).toEqual(['123456', '7890'])
})

test('past the bound, the end of a text is still reported', () => {
  const buffer = createLiveBuffer({ maxEvents: 10, maxDeltaLength: 3 })
  buffer.add([], [delta('123'), delta('456', { done: true })])
  expect(buffer.take().deltas).toEqual([delta('123', { done: true })])
})
