import { beforeEach, expect, test, vi } from 'vitest'

const ids = (count: number, name = 'session') => Array.from({ length: count }, (_, at) => `${name}-${at}`)
const looks = async () => await import('./session-color.ts')
const kept = new Map<string, string>()

beforeEach(() => {
  kept.clear()
  vi.resetModules()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})

test('running sessions differ, also the eleventh, none is red or amber, and each keeps its color after a reload', async () => {
  const { giveColors, sessionEdge } = await looks()
  giveColors(ids(12), [])
  const edges = ids(12).map(sessionEdge)
  expect(new Set(edges.map((edge) => JSON.stringify(edge))).size).toBe(12)
  expect(new Set(edges.slice(0, 10).map((edge) => edge?.borderLeftColor)).size).toBe(10)
  const hues = edges.map((edge) => Number(/^hsl\((\d+)/.exec(edge?.borderLeftColor ?? '')?.[1]))
  expect(hues.filter((hue) => !(hue >= 70 && hue <= 330))).toEqual([])
  vi.resetModules()
  const reloaded = await looks()
  reloaded.giveColors(ids(12).toReversed(), [])
  expect(ids(12).map(reloaded.sessionEdge)).toEqual(edges)
})

test('a new session takes the color of one that ended, first of one that is no longer in the feed', async () => {
  const { giveColors, sessionEdge } = await looks()
  giveColors(ids(10), [])
  const edges = ids(10).map(sessionEdge)
  const running = ids(10).filter((id) => id !== 'session-3' && id !== 'session-6')
  giveColors([...running, 'new'], ['session-3'])
  expect(sessionEdge('new')).toEqual(edges[6])
  expect(sessionEdge('session-6')).toBeUndefined()
  expect([...running, 'session-3'].map(sessionEdge)).toEqual(
    edges.filter((_, at) => at !== 6 && at !== 3).concat([edges[3]]),
  )
  giveColors([...running, 'new', 'next'], ['session-3', 'old'])
  expect(sessionEdge('next')).toEqual(edges[3])
  expect(sessionEdge('old')).toBeUndefined()
})
