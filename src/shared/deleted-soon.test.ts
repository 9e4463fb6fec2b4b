import { expect, test } from 'vitest'
import { deletedSoon } from './deleted-soon.ts'

test('says whether what clients delete soon is imported', () => {
  const said = [
    [0, 0],
    [14, 0],
    [14, 3],
    [1, 1],
  ].map(([all = 0, missing = 0]) => deletedSoon({ deleted_soon: all, deleted_soon_new: missing }))
  expect(said).toEqual([
    null,
    'Within a week, clients delete the transcripts of 14 sessions: all in Aspy.',
    'Within a week, clients delete the transcripts of 14 sessions: 3 are not imported yet.',
    'Within a week, clients delete the transcripts of 1 session: 1 is not imported yet.',
  ])
})
