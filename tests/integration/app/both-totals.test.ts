import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import type { Json } from '../../../src/shared/event.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp } from '../../support/app/start-app.ts'
import { promptFact, commonFields, usageFact, usageOf } from '../../support/store/history.ts'
import { fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** A session that cost $4 at list price, for which the client's transcript says `own`. */
function sessionOf(id: string, own: Json): AnyDraft[] {
  const usage = usageOf({ input_tokens: 1_000_000 })
  const totals = { totalCostUSD: own, modelUsage: {} }
  return [
    ...promptFact(id, `p-${id}`, 'What does it cost?', 0).reports,
    ...usageFact(id, `m-${id}`, naturalKey.promptId(`p-${id}`), 10, usage, 'claude-opus-5-5').reports,
    {
      ...commonFields('transcript', id, 20),
      kind: 'state_change',
      payload: { name: 'client_cost', to: totals },
      keys: [`cost-state:${id}`],
      parents: [],
      sighting: { client_cost: totals },
      sighting_of: [naturalKey.newestOf(id)],
    },
  ]
}

test('the client’s total is beside the list price in HTTP, command line and export; an impossible one is not', async () => {
  using folder = makeTempFolder()
  fillStore(folder.path, [
    ...sessionOf('s-more', 5.5),
    ...sessionOf('s-same', 4),
    ...sessionOf('s-bad', -1),
    ...sessionOf('s-text', '9'),
  ])
  await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
  await app.recorderRuns()
  const key = readFileSync(join(folder.path, 'token'), 'utf8').trim()
  const totals = async (id: string) => {
    const response = await fetch(`${app.app}/api/sessions/${id}`, { headers: { authorization: `Bearer ${key}` } })
    const { total_cost_usd: listed, client_cost_usd: own } = (await response.json()) as Record<string, number | null>
    return [listed, own]
  }
  expect(await totals('s-more')).toEqual([4, 5.5])
  expect(await totals('s-same')).toEqual([4, 4])
  expect(await totals('s-bad')).toEqual([4, null])
  expect(await totals('s-text')).toEqual([4, null])
  const say = async (...args: string[]) => (await aspyHere([...args, '--data', folder.path])).stdout
  expect(await say('session', 's-more')).toMatch(/\$4\.00[^]*Claude Code reports \$5\.50/)
  expect(await say('export', '--format', 'markdown', '--session', 's-more')).toContain(
    "$4.00 at list price, $5.50 by Claude Code's count",
  )
  expect(await say('export', '--format', 'markdown', '--session', 's-same')).not.toContain('count')
})
