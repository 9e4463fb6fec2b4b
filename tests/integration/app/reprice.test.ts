import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { naturalKey } from '../../../src/main/decode/draft.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { LIMITS } from '../../support/store/folder.ts'
import { promptFact, usageFact, usageOf } from '../../support/store/history.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** As an older app knew prices: one model at half of what it costs, the other not at all. */
const OLD_PRICES = {
  web_search_usd_per_1000: 10,
  inference_geo_us_multiplier: 1,
  models: [
    {
      model: 'claude-opus-5-5',
      from: '2020-01-01',
      input: 2,
      output: 10,
      cache_read: 0.1,
      cache_write_5m: 2.5,
      cache_write_1h: 4,
      fast_multiplier: 1,
    },
  ],
}

test('past costs are recalculated in every total', async () => {
  using folder = makeTempFolder()
  const hashKey = loadHashKey(folder.path)
  const store = openStore({ dataDir: folder.path, hashKey, limits: LIMITS, prices: OLD_PRICES })
  const usage = usageOf({ input_tokens: 1_000_000, output_tokens: 100_000 })
  store.ingest.append(promptFact('s', 'p', 'What does it cost?', 0).reports)
  store.ingest.append(usageFact('s', 'm1', naturalKey.promptId('p'), 10, usage, 'claude-opus-5-5').reports.slice(0, 1))
  store.ingest.append(
    usageFact('s', 'm2', naturalKey.promptId('p'), 20, usage, 'claude-sonnet-5-5').reports.slice(0, 1),
  )
  store.ingest.append(
    usageFact('s', 'm3', naturalKey.promptId('p'), 30, usage, 'claude-nobody-knows-1').reports.slice(0, 1),
  )
  expect(store.ingest.unpricedModels()).toEqual(['claude-sonnet-5-5', 'claude-nobody-knows-1'])
  store.close()

  const { code, stdout, stderr } = await aspyHere(['reprice', '--json', '--data', folder.path])
  expect(code, stderr).toBe(0)
  // $4 and $20, $2 and $10 a million.
  expect(JSON.parse(stdout)).toEqual({
    cost_usd_before: 3,
    cost_usd: 9,
    unpriced_calls: 1,
    unpriced_models: ['claude-nobody-knows-1'],
  })
  const db = new Database(join(folder.path, 'lifestats.db'), { readonly: true })
  const sums = [
    'sum(cost_usd) FROM api_usage',
    'total_cost_usd FROM sessions',
    'sum(cost_usd) FROM turns',
    'sum(cost_usd) FROM rollups',
    'sum(cost_usd) FROM day_rollups',
    'sum(cost_usd) FROM model_totals',
  ]
  for (const sum of sums) expect(db.prepare(`SELECT ${sum}`).pluck().get(), sum).toBeCloseTo(9, 9)
  expect(db.prepare('SELECT count(*) FROM user_prompts').pluck().get()).toBe(1)
  db.close()

  // After a restart, the app still knows which model has no price.
  const again = openStore({ dataDir: folder.path, hashKey, limits: LIMITS })
  expect(again.ingest.unpricedModels()).toEqual(['claude-nobody-knows-1'])
  again.close()
})
