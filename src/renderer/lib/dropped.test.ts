import { expect, test } from 'vitest'
import { type DroppedText, droppedCall, droppedHit, hitsToCopy } from './dropped.ts'

const text = (minute: number, kind: DroppedText['kind']): DroppedText => ({
  uuid: `text-${minute}`,
  kind,
  turn_id: 1,
  timestamp: `2026-11-28T10:0${minute}:00.000Z`,
  content: '',
  words: 1,
  missing: 1,
  missing_words: [],
  lost: ['gone'],
  reworded: [],
  group: 'answer',
  times: 1,
})
// The operation lists what lost most first.
const [answer, prompt, kept] = [text(2, 'assistant_text'), text(1, 'user_prompt'), text(0, 'thinking')]
const file = { path: '/w/a.ts', uuid: 'call', edited: true, timestamp: '2026-11-28T10:01:30.000Z' }
const dropped = { items: [answer, prompt, kept], files: [file], outputs: [] }

test('texts are copied in the order of their time, a prompt before its answer', () => {
  expect(hitsToCopy(dropped, [answer, prompt], [])).toEqual({
    hits: [droppedHit(prompt), droppedHit(answer)],
    noun: 'lost message',
  })
  const packed = [droppedCall(file), ...[answer, kept].map(droppedHit), { uuid: 'of another search' }]
  expect(hitsToCopy(dropped, [prompt], packed)).toEqual({
    hits: [droppedHit(kept), droppedCall(file), droppedHit(answer)],
    noun: 'checked hit',
  })
})
