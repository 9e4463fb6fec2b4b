import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { liveDrafts, recordedRuns, storeOf, transcriptDrafts } from '../support/recorded-stores.ts'
import { factsOf, SHARED_KINDS, usageRows, type StoredFact } from '../support/store-facts.ts'

/** The tables of docs/reconcile.md: what may differ, and nothing else may. */
const page = readFileSync(new URL('../../docs/reconcile.md', import.meta.url), 'utf8')
const table = (heading: string) =>
  [...(page.split(heading)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (\w+) \| (\w+) \|/gm)].map(
    ([, first = '', second = '']) => [first, second] as const,
  )
const fields = table('## Fields that a store lacks')
const oneSided = table('## Events that one side alone can tell')

const recorded = new Map(recordedRuns().map((one) => [one.name, one]))
const stories = [...recorded.keys()].filter((name) => name !== 'fork')
/** The two that hold something the client kept to itself: the text of a cut answer, the cost of a summary. */
const ONLY_LIVE: { readonly [story: string]: readonly string[] } = {
  cut: ['block:msg_x0007:1'],
  'resume-compact': ['usage:msg_c0004'],
}

function storesOf(names: readonly string[]) {
  const runs = names.flatMap((name) => recorded.get(name) ?? [])
  const live = runs.flatMap(liveDrafts)
  const transcripts = runs.flatMap(transcriptDrafts)
  return {
    live: storeOf(live),
    transcripts: storeOf(transcripts),
    liveFirst: storeOf(live, transcripts),
    transcriptsFirst: storeOf(transcripts, live),
  }
}

/** The facts of the kinds that all sources tell, without the fields that the page names. */
function shared(facts: ReadonlyMap<string, StoredFact>, leftOut: readonly string[] = []) {
  const kept = [...facts].filter(([name, { kind }]) => SHARED_KINDS.has(kind) && !leftOut.includes(name))
  return Object.fromEntries(
    kept.map(([name, fact]) => [
      name,
      {
        ...fact,
        parent: fact.parent !== null && leftOut.includes(fact.parent) ? 'block:msg_x0007:0' : fact.parent,
        payload: Object.fromEntries(
          Object.entries(fact.payload).filter(
            ([field]) => !fields.some(([kind, name]) => kind === fact.kind && name === field),
          ),
        ),
      },
    ]),
  )
}

const names = (facts: ReadonlyMap<string, StoredFact>) => [...facts.keys()].toSorted()

describe('a recorded run of the client, in stores', () => {
  test('the page names what may differ', () => {
    expect(fields.length).toBeGreaterThan(10)
    expect(oneSided.length).toBeGreaterThan(8)
  })

  test.each(stories)('%s: wire and hooks, its transcripts, or both in either order tell the same', (story) => {
    const stores = storesOf([story])
    const live = factsOf(stores.live)
    const transcripts = factsOf(stores.transcripts)
    const liveFirst = factsOf(stores.liveFirst)
    const transcriptsFirst = factsOf(stores.transcriptsFirst)
    const onlyLive = ONLY_LIVE[story] ?? []
    expect(shared(transcripts)).toEqual(shared(live, onlyLive))
    for (const name of onlyLive) expect(live.has(name) && !transcripts.has(name), name).toBe(true)
    // A transcript that comes later adds no event; what comes after it, none that it told.
    expect(names(liveFirst)).toEqual(names(live))
    expect(names(transcriptsFirst)).toEqual(names(live))
    // With both, not even the fields differ that one of them lacks, but for what stands in the log as it came first.
    expect(shared(transcriptsFirst)).toEqual(shared(liveFirst))
    expect(usageRows(stores.transcriptsFirst)).toEqual(usageRows(stores.liveFirst))
    for (const { kind } of live.values())
      if (!SHARED_KINDS.has(kind)) expect(oneSided.map(([name]) => name)).toContain(kind)
  })

  test('a fork shares the history that its transcript copies, and pays for nothing twice', () => {
    const stores = storesOf(['resume-compact', 'fork'])
    const transcripts = factsOf(stores.transcripts)
    const liveFirst = factsOf(stores.liveFirst)
    // Whoever comes second, the usages are the same: those of the original, and the fork's own answer.
    expect(usageRows(stores.transcriptsFirst)).toEqual(usageRows(stores.liveFirst))
    expect(usageRows(stores.live)).toHaveLength(usageRows(stores.transcripts).length + 1)
    const copies = [...liveFirst].filter(
      ([name]) => !transcripts.has(name) && SHARED_KINDS.has(liveFirst.get(name)?.kind ?? ''),
    )
    for (const [name, { kind, payload }] of copies)
      expect(kind === 'compaction' || name === 'usage:msg_c0004' || payload['seen_in_history'] === true, name).toBe(
        true,
      )
    expect(shared(factsOf(stores.transcriptsFirst), ['usage:msg_c0004'])).toEqual(shared(transcripts))
  })
})
