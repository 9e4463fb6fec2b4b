import { describe, expect, test } from 'vitest'
import { timeNamed } from './times-named.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const isIn = (query: string, day: string) => timeNamed(query, NOW)?.(`${day}T10:00:00.000Z`)

describe('the time that a query names', () => {
  test.each([
    ['what did we decide on 8 May 2023', '2023-05-08', '2023-06-08'],
    ['what happened on May 8th, 2023?', '2023-05-09', '2022-05-08'],
    ['the talk of 2023-05', '2023-05-20', '2023-07-01'],
    ['plans of July 2024', '2024-07-31', '2023-07-31'],
    ['where did she travel in december', '2023-12-24', '2023-08-24'],
    ['what did I buy in 2022', '2022-02-02', '2023-02-02'],
    ['what did we fix last week', '2026-11-12', '2026-10-01'],
    ['what broke yesterday', '2026-11-21', '2026-11-10'],
  ])('%s', (query, inside, outside) => {
    expect(isIn(query, inside)).toBe(true)
    expect(isIn(query, outside)).toBe(false)
  })

  test('ends where the words say: last week is not today', () => {
    expect(isIn('what did we fix last week', '2026-11-22')).toBe(false)
    expect(isIn('what broke yesterday', '2026-11-22')).toBe(true)
    expect(isIn('what did we plan last year', '2026-11-01')).toBe(false)
  })

  test('includes the days after a named day, even into the next year', () => {
    expect(isIn('what happened on 30 december', '2024-01-01')).toBe(true)
    expect(isIn('what happened on 30 december', '2023-12-29')).toBe(false)
  })

  test.each(['may I use it', 'march on', 'the last resort', 'version 2023 of it', '', 'week 12'])(
    'is not found in "%s"',
    (query) => {
      expect(timeNamed(query, NOW)).toBeNull()
    },
  )
})
