import { expect, test } from 'vitest'
import type { AnyEvent } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import { toolResultDraft } from '../../decode/tool-result.ts'
import { addedByFirst, sightingFields, withoutRepeats } from './sighting.ts'

const base = {
  source: 'transcript',
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-26T10:00:00.000Z',
  ts_monotonic: null,
} as const

const drafted = (content: string, more: { readonly isError?: boolean; readonly detail?: string } = {}): AnyDraft =>
  toolResultDraft(
    base,
    { callId: 'c', toolName: 'Read', content, isError: more.isError ?? false, detail: more.detail, durationMs: 12 },
    (text) => text,
  )

/** Returns the event that a draft became. */
const eventOf = (draft: AnyDraft): AnyEvent =>
  ({ ...draft, source: 'wire', uuid: 'u', request_id: null, user_id: null, project: null }) as unknown as AnyEvent

test.each([
  ['what the event says', drafted('a text')],
  ['another text', drafted('another text')],
  ['a failure', drafted('no such file', { isError: true })],
  ['details', drafted('a text', { detail: 'of the client' })],
  ['nothing', drafted('')],
])('texts that a sighting repeats from its payload change nothing of what is stored: %s', (_, draft) => {
  const event = eventOf(drafted('a text'))
  const sent = structuredClone(withoutRepeats(draft))
  expect(sent.sighting?.['output']).toBeUndefined()
  expect(draft.sighting?.['output']).toBeDefined()
  const stored = (told: AnyDraft) =>
    JSON.stringify([sightingFields(told, event, []), addedByFirst(told, eventOf(draft))])
  expect(stored(sent)).toBe(stored(draft))
})

test('a text that its payload does not repeat stays in a sighting, and so does what describes other events', () => {
  const draft = drafted('a text')
  const other = { ...draft, sighting: { output: 'another text', shown: 'a text' } }
  expect(withoutRepeats(other)).toBe(other)
  const described = { ...draft, sighting_of: ['call:c'] }
  expect(withoutRepeats(described)).toBe(described)
})
