import { expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { DEMO_HISTORY } from '../../support/demo/demo-history.ts'
import { cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { carryList } from '../../../src/main/operations/reader/carry.ts'
import { receipt } from '../../../src/main/operations/reader/receipt/receipt.ts'
import { redactedDraft } from '../../../src/main/pipeline/pipeline.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'

test('the demo has misses of many causes, all known, and its context costs what its input costs', () => {
  const { store, dbPath } = openTestStore()
  const redactor = createRedactor({ hashKey: HASH_KEY, enabled: true })
  for (const drafts of generateHistory(DEMO_HISTORY)) {
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
  expect(summary.by_cause.filter(({ waste_usd: waste }) => waste === 0).map(({ cause }) => cause)).toEqual([
    'first_request',
  ])
  expect(summary.judged).toBe(summary.requests)
  expect(summary.waste_usd).toBeLessThan(summary.cost_usd / 2)
  expect(summary.read).toBeGreaterThan(summary.could_read * 0.7)
  expect(summary.vendor.compared).toBeGreaterThan(10)
  expect(summary.vendor.agreed).toBe(summary.vendor.compared)
  const [carried, files, paid] = reading(dbPath, (reader) => [
    carryList(reader, { by: 'kind', limit: 50 }),
    carryList(reader, { by: 'file', limit: 50 }),
    receipt(reader, { format: 'json', time_zone: 'UTC' }),
  ])
  const input = paid.by_class.filter(({ class: name }) => name === 'input' || name.startsWith('cache_'))
  const usd = input.reduce((sum, row) => sum + row.cost_usd, 0)
  for (const { items } of [carried, files])
    expect(Math.abs(items.reduce((sum, item) => sum + item.usd, 0) - usd)).toBeLessThan(1e-9)
  const kinds = ['answer', 'claude_md', 'file_read', 'overhead', 'prompt', 'system_prompt', 'tool_call', 'tool_result']
  expect(carried.items.map(({ key }) => key).toSorted()).toEqual([...kinds, 'tool_schema'])
  expect(carried.never_called.tools).toBeGreaterThan(0)
})
