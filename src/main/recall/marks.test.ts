import { expect, test } from 'vitest'
import { createMarkFinder } from './marks.ts'

test('an identifier counts for each word of the query that it has', () => {
  const found = createMarkFinder(['checkpoint', 'ids', 'turn', 'branch']).find(
    'wipes TurnCheckpointIDs, not the branchName',
  )
  expect(found.map(({ start, word }) => `${start} ${word}`)).toEqual(['6 turn', '6 checkpoint', '6 ids', '33 branch'])
})
