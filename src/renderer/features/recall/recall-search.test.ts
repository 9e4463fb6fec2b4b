import { expect, test } from 'vitest'
import { parseAddress, writeAddress } from '../../lib/address.ts'
import {
  arranged,
  chosenKinds,
  recallSearchState,
  searchInput,
  spanOf,
  toggledKind,
  whenOf,
  WHENS,
} from './recall-search.ts'

test('an address restores the state it was written from', () => {
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

test('unknown values in an address are ignored', () => {
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

test('a day is a span that the search reads in the zone of the viewer', () => {
  expect(recallSearchState(parseAddress('range=yesterday')).range).toBe('yesterday')
  expect(WHENS.map(([value]) => whenOf(value) ?? 'all')).toEqual(WHENS.map(([value]) => value))
  expect(spanOf('yesterday').fields()).toEqual({ since: 'yesterday', until: 'yesterday' })
  expect(spanOf('week').fields()).toEqual({ since: 'this week' })
  expect(spanOf(undefined).fields()).toEqual({})
})

test('the last kind cannot be turned off', () => {
  expect(toggledKind('tools', 'tools')).toBe('tools')
  expect(toggledKind(undefined, 'tools')).toBe('prompts,responses,thinking,tools')
  expect(toggledKind('prompts,responses,thinking,tools', 'tools')).toBeUndefined()
})

test('the last word is a prefix until a space or quote follows', () => {
  expect(searchInput({ q: 'solar' })).toMatchObject({ prefix: true, tools: false })
  expect(searchInput({ q: 'solar ' }).prefix).toBe(false)
  // Filters and quotes are left to the search, which every other place uses, too.
  expect(searchInput({ q: 'solar tool:BASH after:"last Tuesday"' })).toEqual({
    query: 'solar tool:BASH after:"last Tuesday"',
    tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
    limit: 50,
    prompts: true,
    responses: true,
    thinking: true,
    tools: false,
    prefix: false,
    counts: false,
  })
  expect(searchInput({ q: '"solar theme"' }).prefix).toBe(false)
})

test('grouping orders sessions by their best hit and keeps the order of hits within each', () => {
  const hits = [
    { session_id: 'a', uuid: '1' },
    { session_id: 'b', uuid: '2' },
    { session_id: 'a', uuid: '3' },
  ]
  expect(arranged(hits, undefined)).toBe(hits)
  expect(arranged(hits, 'session').map(({ uuid }) => uuid)).toEqual(['1', '3', '2'])
})
