import { describe, expect, test } from 'vitest'
import { recordedRuns } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { ALLOWED_FIELDS, comparedFacts, ONE_SIDED, sharedFacts } from '../../support/client/allowed-differences.ts'
import { liveDrafts, storeOf, transcriptDrafts } from '../../support/store/recorded-stores.ts'
import { factsOf, SHARED_KINDS, usageRows, type StoredFact } from '../../support/store/facts.ts'

const recorded = new Map(recordedRuns().map((one) => [one.name, one]))
const stories = [...recorded.keys()].filter((name) => name !== 'fork')
/**
 * Those that hold what a transcript does not: the text of a cut answer, the cost of a summary.
 */
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

/** Names of all facts but the client's own messages: only a transcript marks those. */
const names = (facts: ReadonlyMap<string, StoredFact>) =>
  [...facts.keys()].filter((name) => !name.startsWith('client-message:')).toSorted()

describe('a recorded run of the client, in stores', () => {
  test('the page names what may differ', () => {
    expect(ALLOWED_FIELDS).toHaveLength(16)
    expect(ONE_SIDED).toHaveLength(12)
  })

  test.each(stories)('%s: wire and hooks, its transcripts, or both in either order tell the same', (story) => {
    const stores = storesOf([story])
    const live = factsOf(stores.live)
    const compared = comparedFacts(live, factsOf(stores.transcripts))
    expect(compared.transcripts).toEqual(compared.live)
    expect(compared.onlyLive).toEqual(ONLY_LIVE[story] ?? [])
    // A later transcript adds no event, and sources after it add none that it reported.
    const liveFirst = factsOf(stores.liveFirst)
    const transcriptsFirst = factsOf(stores.transcriptsFirst)
    expect(names(liveFirst)).toEqual(names(live))
    expect(names(transcriptsFirst)).toEqual(names(live))
    // With both, the order is not to be seen.
    expect(sharedFacts(transcriptsFirst)).toEqual(sharedFacts(liveFirst))
    expect(usageRows(stores.transcriptsFirst)).toEqual(usageRows(stores.liveFirst))
    const explained = new Set<string>([...SHARED_KINDS, ...ONE_SIDED.map(([name]) => name)])
    expect([...live.values()].map(({ kind }) => kind).filter((kind) => !explained.has(kind))).toEqual([])
  })

  test('a fork shares the history that it copies, whichever source reports it, and pays for nothing twice', () => {
    const stores = storesOf(['resume-compact', 'fork'])
    const live = factsOf(stores.live)
    const transcripts = factsOf(stores.transcripts)
    const compared = comparedFacts(live, transcripts)
    expect(compared.transcripts).toEqual(compared.live)
    expect(compared.onlyLive).toEqual(['usage:msg_c0004'])
    const liveFirst = factsOf(stores.liveFirst)
    const transcriptsFirst = factsOf(stores.transcriptsFirst)
    expect(names(liveFirst)).toEqual(names(live))
    expect(names(transcriptsFirst)).toEqual(names(live))
    expect(sharedFacts(transcriptsFirst)).toEqual(sharedFacts(liveFirst))
    // Whoever comes second, the usages are the same: those of the original, and the fork's own answer.
    expect(usageRows(stores.transcriptsFirst)).toEqual(usageRows(stores.liveFirst))
    expect(usageRows(stores.live)).toHaveLength(usageRows(stores.transcripts).length + 1)
    expect([...live.values()].filter(({ payload }) => payload['seen_in_history'] === true)).toEqual([])
  })
})
