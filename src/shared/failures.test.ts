import { expect, test } from 'vitest'
import { failureOrigin, GUARD_STOPPED, isOwnError } from './failures.ts'

test('a refusal of the guard is its own and no failure of the API, whoever reports it', () => {
  const shown = `API Error: 402 {"error":{"message":"${GUARD_STOPPED}: over the cap"}}`
  expect([failureOrigin(shown, 'client'), failureOrigin('Overloaded', 'client')]).toEqual(['guard', 'client'])
  expect(['guard', 'capture', 'upstream', 'client'].map(isOwnError)).toEqual([true, true, false, false])
})
