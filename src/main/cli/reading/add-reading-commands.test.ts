import { expect, test } from 'vitest'
import { moreText } from './add-reading-commands.ts'

const items = [{}, {}]

test('a page says that there are more, also the conversation of a session', () => {
  const more = ['2 shown; there are more: see --limit']
  expect(moreText({ items, next: 'WzFd' })).toEqual(more)
  expect(moreText({ id: 's', history: { items, next: 'WzFd' } })).toEqual(more)
  expect(moreText({ items, next: 'WzFd', total: 1200, total_about: true })[0]).toContain('2 of more than 1,200 shown')
  expect(moreText({ items, next: null })).toEqual([])
})

test('a list without pages that is as long as its limit says that there may be more', () => {
  expect(moreText({ items, next: null }, 2)).toEqual(['2 shown; there may be more: see --limit'])
  expect(moreText({ items, next: null }, 3)).toEqual([])
})

test('groups are all there are, whatever is listed beside them', () => {
  expect(moreText({ groups: [{}], items: [{}, {}] }, 2)).toEqual([])
})
