import { expect, test } from 'vitest'
import { parseAddress, writeAddress } from '../../lib/address.ts'
import { arranged, chosenKinds, recallSearchState, searchInput, toggledKind } from './recall-search.ts'

test('an address gives back the state it was written from', () => {
  const state = {
    q: '"theme" & more=100%',
    kinds: 'thinking,tools',
    project: '/code/engine',
    range: '7d',
    order: 'time',
    tab: undefined,
  } as const
  expect(recallSearchState(parseAddress(writeAddress(state)))).toEqual(state)
})

test('what an address says that is not known is left aside', () => {
  expect(recallSearchState({ q: '', kinds: 'moods', range: '8d', order: 'rank', tab: 'x' })).toEqual({
    q: undefined,
    kinds: 'moods',
    project: undefined,
    range: undefined,
    order: undefined,
    tab: undefined,
  })
  expect(chosenKinds('moods')).toEqual(['prompts', 'responses', 'thinking'])
})

test('one kind is always searched', () => {
  expect(toggledKind('tools', 'tools')).toBe('tools')
  expect(toggledKind(undefined, 'tools')).toBe('prompts,responses,thinking,tools')
  expect(toggledKind('prompts,responses,thinking,tools', 'tools')).toBeUndefined()
})

test('the last word is a beginning until it is closed', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  expect(searchInput({ q: 'solar' }, now, 'UTC')).toMatchObject({ prefix: true, tools: false })
  expect(searchInput({ q: 'solar ' }, now, 'UTC').prefix).toBe(false)
  expect(searchInput({ q: '"solar theme"', range: '7d' }, now, 'UTC')).toMatchObject({
    prefix: false,
    since: '2026-11-15T00:00:00.000Z',
  })
})

test('by session, a session stands where its best hit ranks, its hits in their order', () => {
  const hits = [
    { session_id: 'a', uuid: '1' },
    { session_id: 'b', uuid: '2' },
    { session_id: 'a', uuid: '3' },
  ]
  expect(arranged(hits, undefined)).toBe(hits)
  expect(arranged(hits, 'session').map(({ uuid }) => uuid)).toEqual(['1', '3', '2'])
})
