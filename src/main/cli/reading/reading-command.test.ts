import { expect, test } from 'vitest'
import { tableOf } from '../../../shared/columns/column.ts'
import { listed } from './reading-command.ts'

const DAYS = tableOf<{ readonly day: string }>()({ columns: { day: { name: 'Day' } } })

test('a list is printed from any field of an answer', () => {
  const text = listed(DAYS, 'No days.', { at: 'days' })
  expect(text({ days: [{ day: 'Monday' }] }, {}, false)).toBe('Day\nMonday')
  expect(text({ days: [] }, { since: '1d' }, false)).toBe('No days.')
})

test('a list that filters leave empty does not say that there is nothing', () => {
  const text = listed(DAYS, 'No days yet.', { isOfAll: true })
  expect(text({ items: [] }, { tools: true }, false)).toBe('No days yet.')
  expect([text({ items: [] }, { limit: 5 }, false), text({ items: [] }, { since: '1d' }, false)]).toEqual([
    'No days yet.',
    'No matches.',
  ])
})
