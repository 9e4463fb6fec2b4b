import { expect, test } from 'vitest'
import { cacheList, cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { requestDiff } from '../../../src/main/operations/reader/request-diff.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { createTimedExchanges } from '../../support/recorder/timed-exchanges.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'

const START = Date.parse('2026-06-20T08:00:00Z')
const DAY = 86_400_000

/** Two requests with the given system prompts; the second one reads nothing from the cache. */
async function missed(systems: readonly [string, string], diagnostics?: object | null, told: object = {}) {
  const { store, dbPath } = openTestStore({ now: () => START + 200 * DAY })
  const record = createTimedExchanges(store)
  const control = { cache_control: { type: 'ephemeral' } }
  const uuids: string[] = []
  for (const [at, text] of systems.entries()) {
    uuids.push(
      await record({
        wall: START + at * 10_000,
        session: 'one',
        body: {
          model: 'claude-sonnet-4-5',
          max_tokens: 100,
          diagnostics: { previous_message_id: at === 0 ? null : 'msg_0' },
          tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object' } }],
          system: [{ type: 'text', text, ...control }],
          messages: [{ role: 'user', content: [{ type: 'text', text: 'hello', ...control }] }],
        },
        answer: {
          id: `msg_${at}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text: 'hi' }],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: 10,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 5000,
            cache_creation: { ephemeral_5m_input_tokens: 5000, ephemeral_1h_input_tokens: 0 },
            output_tokens: 10,
          },
          ...(at === 1 && diagnostics !== undefined ? { diagnostics } : {}),
          ...(at === 1 ? told : {}),
        },
      }),
    )
  }
  const [item] = reading(dbPath, (reader) => cacheList(reader, { limit: 10 })).items
  return { store, dbPath, uuids, item }
}

const SECRET =
  'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-AAAAAAAA'

test("the API's verdict is kept beside ours", async () => {
  const reason = { cache_miss_reason: { type: 'system_changed', cache_missed_input_tokens: 4900 } }
  const { item } = await missed(['Be short.', 'Be brief.'], reason)
  expect(item).toMatchObject({
    could_read: 5000,
    read: 0,
    missed_tokens: 5000,
    cause: { kind: 'system_changed', where: 'system[0]' },
    vendor: { type: 'system_changed', tokens: 4900 },
  })
  // 5,000 tokens written at $3.75 instead of read at $0.30 a million.
  expect(item?.waste_usd).toBeCloseTo(0.01725, 9)
})

test('a removed secret could hide a difference: only the API can say that there is none', async () => {
  const systems = [`key ${SECRET}`, `key ${SECRET}`] as const
  expect((await missed(systems)).item?.cause.kind).toBe('unknown')
  expect((await missed(systems, null)).item?.cause.kind).toBe('provider')
  expect((await missed(systems, { cache_miss_reason: null })).item?.cause.kind).toBe('unknown')
})

test('the API is not blamed for results that it cleared as it was asked to', async () => {
  const edits = [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 8, cleared_input_tokens: 50_000 }]
  const told = (applied: readonly object[]) => ({ context_management: { applied_edits: applied } })
  const { item } = await missed(['Be short.', 'Be short.'], undefined, told(edits))
  expect(item?.cause).toMatchObject({ kind: 'messages_changed', detail: expect.stringContaining('clear_tool_uses') })
  expect((await missed(['Be short.', 'Be short.'])).item?.cause.kind).toBe('provider')
  const nothing = [{ type: 'clear_thinking_20251015', cleared_thinking_turns: 0, cleared_input_tokens: 0 }]
  expect((await missed(['Be short.', 'Be short.'], undefined, told(nothing))).item?.cause.kind).toBe('provider')
})

test('the summary says how much of the money was judged', async () => {
  const summaryOf = async (systems: readonly [string, string]) => {
    const { dbPath } = await missed(systems)
    return reading(dbPath, (reader) => cacheSummary(reader, {}))
  }
  // Each answer: 10 tokens of input at $3, 5,000 written at $3.75, 10 of output at $15 a million.
  const judged = await summaryOf(['Be short.', 'Be brief.'])
  expect(judged.cost_usd).toBeCloseTo(0.03786, 9)
  expect(judged.judged_cost_usd).toBeCloseTo(0.03786, 9)
  const half = await summaryOf([`key ${SECRET}`, `key ${SECRET}`])
  expect(half).toMatchObject({ requests: 2, judged: 1 })
  expect(half.cost_usd).toBeCloseTo(0.03786, 9)
  expect(half.judged_cost_usd).toBeCloseTo(0.01893, 9)
})

test('the ledger has equal rows after the bodies were archived and the archive is gone', async () => {
  const { store, dbPath, uuids } = await missed(['Be short.', 'Be brief.'])
  const before = reading(dbPath, (reader) => requestDiff(reader, { uuid: uuids[1] ?? '' }))
  expect(before).toMatchObject({
    against: uuids[0],
    cause: { kind: 'system_changed' },
    items: [{ change: 'equal' }, { change: 'changed', at: 'system[0]' }, { change: 'equal' }],
  })
  expect(before.items[1]?.before).toContain('Be short.')
  expect(before.items[1]?.first_difference).toBe(before.items[1]?.after?.indexOf('brief') ?? 0)
  for (const rules of [
    { retention_days: 90, archive_days: 0, delete_days: 0 },
    { retention_days: 90, archive_days: 1, delete_days: 0 },
  ])
    for (const _ of store.maintenance.archive(rules));
  store.close()
  withWriter(dbPath, (db) => {
    expect(db.prepare('SELECT count(*) FROM archived_events').pluck().get()).toBeGreaterThan(0)
    const followed = contentsOfProjections(db)['cache_calls']
    expect(followed).toHaveLength(2)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(contentsOfProjections(db)['cache_calls']).toEqual(followed)
  })
})
