import { expect, test } from 'vitest'
import { recordedRuns } from '../../../fixtures/recorded-runs.ts'
import { createTranscriptDecoder } from './transcript-decoder.ts'

const runs = recordedRuns().map(({ run }) => run)

test('nothing in the transcripts of the recorded runs is unknown', () => {
  const unknown: string[] = []
  for (const { transcripts } of runs) {
    for (const { lines } of transcripts) {
      const decoder = createTranscriptDecoder({ onUnknownField: (what) => unknown.push(what) })
      for (const line of lines)
        for (const draft of decoder.line(JSON.stringify(line)))
          if (draft.kind === 'unknown') unknown.push(draft.payload.what)
    }
  }
  expect(runs.length).toBeGreaterThan(10)
  expect(unknown).toEqual([])
})

test('a field that no one knows is kept with the line, and told with the version of the client', () => {
  const told: string[] = []
  const decoder = createTranscriptDecoder({ onUnknownField: (what) => told.push(what) })
  const line = {
    type: 'user',
    uuid: 'u1',
    sessionId: 's',
    version: '9.9.9',
    timestamp: '2026-11-01T10:00:00.000Z',
    message: { role: 'user', content: 'Go.' },
    mood: { of: 'the day' },
  }
  const [prompt, ...others] = decoder.line(JSON.stringify(line))
  expect(others).toEqual([])
  expect(prompt).toMatchObject({
    kind: 'user_prompt',
    payload: { text: 'Go.' },
    sighting: { prompt_id: null, unknown_fields: { mood: { of: 'the day' } } },
  })
  expect(told).toEqual(['transcript:user.mood (9.9.9)'])
})

test('a type and a block that no one knows stay raw, and say which client wrote them', () => {
  const decoder = createTranscriptDecoder()
  const common = { sessionId: 's', version: '9.9.9', timestamp: '2026-11-01T10:00:00.000Z' }
  const drafts = [
    { ...common, type: 'hologram', uuid: 'h1', rays: 3 },
    {
      ...common,
      type: 'assistant',
      uuid: 'a1',
      message: { id: 'm1', model: 'x', content: [{ type: 'scent', of: 'rain' }] },
    },
  ].flatMap((line) => decoder.line(JSON.stringify(line)))
  expect(drafts.map((draft) => (draft.kind === 'unknown' ? draft.payload : draft.kind))).toMatchObject([
    { what: 'transcript:hologram', client_version: '9.9.9', raw: { rays: 3 } },
    { what: 'block:scent', client_version: '9.9.9', raw: { type: 'scent', of: 'rain' } },
  ])
})
