/** Generated receipts. */
import type { OperationOutput } from '../../../src/shared/contract/index.ts'

type Receipt = OperationOutput<'receipt'>

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

const sum = (calls: number, usd: number) => ({
  calls,
  input_tokens: calls * 100,
  output_tokens: calls * 200,
  cache_read_tokens: calls * 30_000,
  cache_write_tokens: calls * 1_000,
  cost_usd: usd,
  unpriced_calls: 0,
})

export const receiptOf = (): Receipt => ({
  session_id: null,
  since: '2026-10-24T00:00:00.000Z',
  until: null,
  time_zone: 'UTC',
  total: sum(3, 3.5),
  by_model: [
    { model: 'claude-opus-5-5', ...sum(2, 3) },
    { model: 'claude-sonnet-5-5', ...sum(1, 0.5) },
  ],
  by_day: [{ day: '2026-11-21', ...sum(3, 3.5) }],
  by_session: [{ session_id: SESSION, title: 'Why is the orbit wrong?', ...sum(3, 3.5) }],
  by_agent: [
    { session_id: SESSION, agent_id: null, agent_type: null, ...sum(2, 3) },
    { session_id: SESSION, agent_id: 'a1', agent_type: 'Explore', ...sum(1, 0.5) },
  ],
  by_class: [
    { class: 'input', units: 300, cost_usd: 0.5 },
    { class: 'cache_read', units: 90_000, cost_usd: 1 },
    { class: 'cache_write_5m', units: 0, cost_usd: 0 },
    { class: 'cache_write_1h', units: 3_000, cost_usd: 1 },
    { class: 'output', units: 600, cost_usd: 0.98 },
    { class: 'web_search', units: 2, cost_usd: 0.02 },
  ],
  by_tier: [{ service_tier: 'standard', speed: null, inference_geo: null, ...sum(3, 3.5) }],
  by_server_tool: [{ tool: 'web_search', uses: 2, cost_usd: 0.02 }],
  cut: { answers: 1, answers_usd: 0.1, failed_requests: 2 },
  client: [
    {
      session_id: SESSION,
      ours_usd: 3.5,
      client_usd: 3.25,
      difference_usd: 0.25,
      explanation: ['The client does not count titles.'],
    },
  ],
  covered: { priced_tokens_share: 1, measured_usd_share: 0.97, transcript_only_calls: 0 },
  gaps: ['Costs are at API list prices. Requests that were not recorded are not included.'],
  partial: false,
})

export const emptyReceipt = (): Receipt => ({ ...receiptOf(), total: sum(0, 0) })

/** One call, whose model shows which row was requested. */
export const receiptCalls = (input: Record<string, unknown>): OperationOutput<'receipt.calls'> => ({
  items: [
    {
      exchange: 'exchange-1',
      event: 'usage-1',
      session_id: SESSION,
      title: 'Why is the orbit wrong?',
      turn_id: 3,
      agent_id: typeof input['agent'] === 'string' && input['agent'] !== 'main' ? input['agent'] : null,
      ts_wall: '2026-11-21T10:00:00.000Z',
      model: typeof input['model'] === 'string' ? input['model'] : 'claude-opus-5-5',
      input_tokens: 100,
      output_tokens: 200,
      cache_read_tokens: 30_000,
      cache_write_tokens: 1_000,
      web_searches: 0,
      cost_usd: 1.5,
    },
  ],
  calls: 2,
  cost_usd: 3,
  unpriced_calls: 0,
  partial: false,
})
