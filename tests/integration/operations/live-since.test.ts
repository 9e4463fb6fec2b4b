import { expect, test } from 'vitest'
import { liveSince } from '../../../src/main/operations/reader/live.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const LIVE = 30
/** More than one look back reads. */
const IMPORTED = 20_010

const notes = (source: 'wire' | 'transcript', count: number) =>
  Array.from({ length: count }, (_, at) =>
    draftOf(
      'notification',
      { text: `${source} ${at}`, level: 'client' },
      { at: '2026-01-01T10:00:00.000Z', source, keys: [`${source}:${at}`] },
    ),
  )

test('after an import, a window that comes back lacks the live events only', () => {
  const path = fillStore(temporaryFolder(), [...notes('wire', LIVE), ...notes('transcript', IMPORTED)], 5000)
  const { events, more } = reading(path, (reader) => liveSince(reader, { after: 0, limit: 500 }))
  expect(events).toEqual([])
  expect(more).toBe(LIVE)
  expect(reading(path, (reader) => liveSince(reader, { after: 10, limit: 500 }))).toEqual({
    events: [],
    more: LIVE - 10,
  })
})
