import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { LIMITS } from '../../support/store/folder.ts'
import { usageOf } from '../../support/store/history.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** One call of a model at a moment, with a million input tokens. */
const callAt = (at: string, model: string, tier: string | null = null) =>
  draftOf(
    'api_usage',
    {
      message_id: `${model}-${at}-${tier}`,
      model,
      usage: usageOf({ input_tokens: 1_000_000, service_tier: tier }),
      request_kind: 'prompt',
      basis: 'measured',
      ttft_ms: null,
    },
    { at, keys: [`usage:${model}-${at}-${tier}`] },
  )

test('each call has the price of its own day, after every edit of one’s own prices too', async () => {
  using folder = makeTempFolder()
  const store = openStore({ dataDir: folder.path, hashKey: loadHashKey(folder.path), limits: LIMITS })
  store.ingest.append([
    callAt('2026-04-30T23:59:59.999Z', 'claude-sonnet-4-5-20250929'),
    callAt('2026-05-01T00:00:00.000Z', 'claude-sonnet-4-5-20250929'),
    callAt('2026-05-31T23:59:59.999Z', 'house-model'),
    callAt('2026-06-01T00:00:00.000Z', 'house-model'),
    callAt('2026-06-01T00:00:00.000Z', 'house-model', 'batch'),
    callAt('2026-06-01T00:00:00.000Z', 'house-model', 'priority'),
  ])
  store.close()
  const rows = () => {
    const db = new Database(join(folder.path, 'lifestats.db'), { readonly: true })
    const read = db.prepare('SELECT round(cost_usd, 9), price_basis FROM api_usage ORDER BY id').raw().all()
    db.close()
    return read
  }
  const reprice = async (own: readonly (readonly [from: string | null, input: number])[]) => {
    const row = ([from, input]: readonly [string | null, number]) =>
      `[[pricing.models]]\nmodel = "house-model"\ninput = ${input}\noutput = 1\ncache_read = 1\ncache_write_5m = 1\n` +
      `cache_write_1h = 1\n${from === null ? '' : `from = "${from}"\n`}`
    writeFileSync(join(folder.path, 'config.toml'), own.map(row).join('\n'))
    const { code, stderr } = await aspyHere(['reprice', '--json', '--data', folder.path])
    expect(code, stderr).toBe(0)
    return rows()
  }
  // Sonnet 4.5 charged $6 for long prompts until 2026-04-30, $3 since.
  const listed = [
    [6, 'list'],
    [3, 'list'],
  ]
  const unpriced = [null, null]
  expect(rows()).toEqual([...listed, unpriced, unpriced, unpriced, unpriced])
  expect(await reprice([['2026-06-01', 8]])).toEqual([
    ...listed,
    unpriced,
    [8, 'list'],
    [4, 'batch'],
    [8, 'assumed_list'],
  ])
  expect(
    await reprice([
      [null, 2],
      ['2026-06-01', 10],
    ]),
  ).toEqual([...listed, [2, 'list'], [10, 'list'], [5, 'batch'], [10, 'assumed_list']])
  expect(await reprice([])).toEqual([...listed, unpriced, unpriced, unpriced, unpriced])
})
