import { expect, test } from 'vitest'
import { generateHistory } from '../../../src/main/demo/generate-history.ts'
import { cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { redactedDraft } from '../../../src/main/pipeline/pipeline.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'

test('the demo has misses of many causes, all of them known, and most requests read what they could', () => {
  const { store, dbPath } = openTestStore()
  const redactor = createRedactor({ hashKey: HASH_KEY, enabled: true })
  for (const drafts of generateHistory({ seed: 'aspy', sessions: 40, days: 30 })) {
    store.ingest.append(drafts.map((draft) => redactedDraft(draft, redactor)))
  }
  const summary = reading(dbPath, (reader) => cacheSummary(reader, {}))
  expect(summary.by_cause.map(({ cause }) => cause).toSorted()).toEqual([
    'betas_changed',
    'compaction',
    'first_request',
    'messages_changed',
    'parameters_changed',
    'provider',
    'system_changed',
    'tools_changed',
    'ttl_expired',
  ])
  for (const { cause, waste_usd: waste } of summary.by_cause)
    if (cause !== 'first_request') expect(waste).toBeGreaterThan(0)
  expect(summary.judged).toBe(summary.requests)
  expect(summary.waste_usd).toBeLessThan(summary.cost_usd / 2)
  expect(summary.read).toBeGreaterThan(summary.could_read * 0.7)
  expect(summary.vendor.compared).toBeGreaterThan(10)
  expect(summary.vendor.agreed).toBe(summary.vendor.compared)
}, 120_000)
