import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { JsonObject, Usage } from '../../../src/shared/event.ts'
import { readUsage } from '../../../src/main/decode/usage.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { openTestStore } from '../../support/store/folder.ts'

const BAD: readonly unknown[] = [
  null,
  -1,
  -1e300,
  1e300,
  9e15,
  Infinity,
  Number.NaN,
  '12 tokens',
  '',
  true,
  {},
  [],
  [3],
  undefined,
]

interface Row {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly thinking_tokens: number | null
  readonly cost_usd: number
}

/** Records usages of one model as they are, and returns their rows. */
function record(usages: readonly unknown[]): Row[] {
  const { store, dbPath } = openTestStore()
  usages.forEach((usage, at) =>
    store.ingest.append([
      draftOf(
        'api_usage',
        {
          message_id: `m${at}`,
          model: 'claude-opus-5-5',
          usage: usage as Usage,
          request_kind: 'prompt',
          basis: 'measured',
          ttft_ms: null,
        },
        { at: '2026-11-21T10:00:00.000Z', session_id: 's1', keys: [`usage:m${at}`] },
      ),
    ]),
  )
  store.close()
  const db = new Database(dbPath, { readonly: true })
  const rows = db
    .prepare<[], Row>('SELECT input_tokens, output_tokens, thinking_tokens, cost_usd FROM api_usage ORDER BY id')
    .all()
  db.close()
  return rows
}

test('figures that cannot be counts are not reported ones, from the wire or from a stored event', () => {
  const decoded = BAD.map((bad) => readUsage({ input_tokens: bad, output_tokens: 1000 } as unknown as JsonObject))
  for (const usages of [decoded, BAD.map((bad) => ({ input_tokens: bad, output_tokens: 1000, thinking_tokens: bad }))])
    expect(record(usages)).toEqual(
      // A thousand output tokens at $20 per million.
      BAD.map(() => ({
        input_tokens: 0,
        output_tokens: 1000,
        thinking_tokens: null,
        cost_usd: expect.closeTo(0.02, 9),
      })),
    )
})

test('a fraction loses its part; every other field can be damaged too', () => {
  expect(record([readUsage({ input_tokens: 2.9, output_tokens: 0.5 })])).toEqual([
    { input_tokens: 2, output_tokens: 0, thinking_tokens: null, cost_usd: expect.closeTo(0.000008, 9) },
  ])
  for (const bad of BAD) {
    const usage = readUsage({
      cache_read_input_tokens: bad,
      cache_creation_input_tokens: bad,
      cache_creation: { ephemeral_5m_input_tokens: bad, ephemeral_1h_input_tokens: bad },
      server_tool_use: { web_search_requests: bad },
      output_tokens_details: { thinking_tokens: bad },
      service_tier: bad,
      speed: bad,
      inference_geo: bad,
    } as unknown as JsonObject)
    const { thinking_tokens: thinking, service_tier: _, speed: __, inference_geo: ___, ...counts } = usage
    expect([...Object.values(counts), thinking]).toEqual([0, 0, 0, 0, 0, 0, null])
  }
  const whole: readonly unknown[] = [null, [], 'x', 7]
  expect(record(whole).map(({ cost_usd }) => cost_usd)).toEqual([0, 0, 0, 0])
})
