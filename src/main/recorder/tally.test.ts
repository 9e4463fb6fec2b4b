import { expect, test } from 'vitest'
import type { AnyEvent } from '../../shared/event.ts'
import type { AppendResult } from '../store/ingest/ingest.ts'
import { createTally, sumOf } from './tally.ts'

const stored = (added: number, joined: number, deleted: number) =>
  ({ added: Array.from({ length: added }), joined, deleted }) as unknown as AppendResult
const unknown = (what: string, client_version?: string) =>
  ({ kind: 'unknown', payload: { what, ...(client_version === undefined ? {} : { client_version }) } }) as AnyEvent

test('counts add up: exchanges, events, sightings, drops by reason', () => {
  const tally = createTally()
  tally.exchange()
  tally.exchange()
  tally.stored(stored(3, 1, 0))
  tally.stored(stored(1, 2, 4))
  tally.stored(stored(0, 0, 1))
  tally.drop('decode_failed')
  tally.drop('decode_failed', 2)
  tally.drop('spool_full', 7)
  tally.drop('nothing', 0)
  tally.lag(12.6)
  expect(tally.counts()).toEqual({ exchanges: 2, events: 4, sightings: 3, commit_lag_ms: 13 })
  expect(tally.read()).toEqual({
    ...tally.counts(),
    dropped: { deleted_session: 5, decode_failed: 3, spool_full: 7 },
    unknown: {},
  })
  expect(createTally().counts()).toEqual({ exchanges: 0, events: 0, sightings: 0, commit_lag_ms: null })
})

test('what nobody knows is counted by name and version; past 200 names, together', () => {
  const tally = createTally()
  tally.unknown([unknown('event:odd'), unknown('event:odd', '2.1'), unknown('event:odd', '2.1')])
  tally.unknown([{ kind: 'user_prompt', payload: {} } as AnyEvent])
  tally.unknownFields({ 'field:a': 2, 'event:odd': 1 })
  expect(tally.read().unknown).toEqual({ 'event:odd': 2, 'event:odd (2.1)': 2, 'field:a': 2 })
  tally.unknownFields(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`more ${at}`, 1])))
  tally.unknownFields({ 'field:a': 1 })
  const { unknown: counted } = tally.read()
  expect(Object.keys(counted)).toHaveLength(201)
  expect(counted).toMatchObject({ 'field:a': 3, other: 103 })
})

test("the importer's redactions and timeouts add up", () => {
  const tally = createTally()
  tally.importerRedacted({ 'aws-key': 1 }, 1)
  tally.importerRedacted({ 'aws-key': 2, jwt: 1 }, 2)
  expect(tally.importerRedactions()).toEqual({ counts: { 'aws-key': 3, jwt: 1 }, timeouts: 3 })
  expect(sumOf({ a: 1 }, {})).toEqual({ a: 1 })
})
