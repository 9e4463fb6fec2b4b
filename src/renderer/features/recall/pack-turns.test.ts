import { expect, test } from 'vitest'
import { turnsOf } from './queries.ts'

test('several hits of one turn pack it once, in the order of selection', () => {
  const hit = (uuid: string, session_id: string, turn_id: number) => ({ uuid, session_id, turn_id })
  expect(turnsOf([hit('c', 's2', 4), hit('a', 's1', 1), hit('b', 's2', 4)])).toEqual([
    { session_id: 's2', turn_id: 4 },
    { session_id: 's1', turn_id: 1 },
  ])
})
