import { expect, test } from 'vitest'
import { moved, parsePack, toggled } from './pack-store.ts'

const hit = (uuid: string) => ({ uuid, match_type: 'thinking' as const })
const [a, b, c] = [hit('a'), hit('b'), hit('c')]

test('a hit is added to the end, and chosen again removed; a digest and its event are two', () => {
  expect(toggled([a, b], c)).toEqual([a, b, c])
  expect(toggled([a, b, c], { ...b })).toEqual([a, c])
  expect(toggled([a], { uuid: 'a', match_type: 'episode' })).toHaveLength(2)
})

test('a pack takes as many hits as can be asked for', () => {
  const full = Array.from({ length: 200 }, (_, at) => hit(String(at)))
  expect(toggled(full, a)).toEqual(full)
  expect(toggled(full.slice(1), a)).toEqual([...full.slice(1), a])
})

test('only what names a hit is kept, never its text', () => {
  expect(toggled([], { ...a, content: 'secret', turn_id: 4 } as never)).toEqual([a])
})

test('a hit moves up and down as far as the ends', () => {
  expect(moved([a, b, c], c, -1)).toEqual([a, c, b])
  expect(moved([a, b, c], a, 1)).toEqual([b, a, c])
  expect(moved([a, b, c], a, -1)).toEqual([a, b, c])
  expect(moved([a, b, c], c, 5)).toEqual([a, b, c])
  expect(moved([a, b], c, 1)).toEqual([a, b])
})

test('reads back a stored pack; anything else is an empty pack', () => {
  const pack = { hits: [a, b], title: 'Themes', budget: 1000, wholeTurns: true, actions: true }
  expect(parsePack(JSON.stringify(pack))).toEqual(pack)
  const empty = { hits: [], title: '', budget: 4000, wholeTurns: false, actions: false }
  for (const odd of [null, '', '{', '7', '{"hits":[7,{"uuid":1}],"budget":3,"title":5}'])
    expect(parsePack(odd), String(odd)).toEqual(empty)
})
