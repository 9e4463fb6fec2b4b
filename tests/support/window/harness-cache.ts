/** Generated answers about the prompt cache: misses, their sums, and what changed between two requests. */
import type { CacheMiss, RequestDiff } from '../../../src/shared/contract/cache.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { Exchange, RequestLine } from '../../../src/shared/contract/requests.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const CAUSES: readonly CacheMiss['cause'][] = [
  { kind: 'ttl_expired', where: null, detail: 'sent 41 m after the entry had expired' },
  { kind: 'tools_changed', where: 'tools[3]', detail: 'added mcp__tracker__list_open_issues' },
  { kind: 'system_changed', where: 'system[2]', detail: 'differs from character 412 on' },
  { kind: 'provider', where: null, detail: null },
]

const MISSES: readonly CacheMiss[] = Array.from({ length: 23 }, (_, index) => ({
  exchange: index === 5 ? null : `req-${index}`,
  session_id: SESSION,
  user_id: null,
  turn_id: index + 1,
  agent_id: null,
  ts_wall: ago(index * 90),
  model: 'claude-opus-5-5',
  could_read: 48_000,
  read: index % 4 === 2 ? 11_000 : 0,
  missed_tokens: index % 4 === 2 ? 37_000 : 48_000,
  waste_usd: index === 7 ? null : 0.24,
  cause: CAUSES[index % CAUSES.length] ?? { kind: 'unknown', where: null, detail: null },
  vendor: null,
}))

const summary: OperationOutput<'cache.summary'> = {
  requests: 8123,
  judged: 7980,
  cost_usd: 812.4,
  judged_cost_usd: 790.1,
  could_read: 91_000_000,
  read: 84_000_000,
  missed_tokens: 7_000_000,
  waste_usd: 40,
  unpriced: 12,
  by_cause: [
    { cause: 'ttl_expired', requests: 61, missed_tokens: 3_400_000, waste_usd: 22 },
    { cause: 'tools_changed', requests: 18, missed_tokens: 1_900_000, waste_usd: 10 },
    { cause: 'system_changed', requests: 9, missed_tokens: 900_000, waste_usd: 6 },
    { cause: 'provider', requests: 2, missed_tokens: 800_000, waste_usd: 2 },
    { cause: 'first_request', requests: 240, missed_tokens: 0, waste_usd: 0 },
  ],
  by_project: [],
  by_week: [],
  by_client_version: [],
  vendor: { compared: 40, agreed: 39 },
}

/** The answer of a store without requests. */
export const emptyCacheSummary: OperationOutput<'cache.summary'> = {
  ...summary,
  requests: 0,
  judged: 0,
  cost_usd: 0,
  judged_cost_usd: 0,
  could_read: 0,
  read: 0,
  missed_tokens: 0,
  waste_usd: 0,
  unpriced: 0,
  by_cause: [],
  vendor: { compared: 0, agreed: 0 },
}

const requestOf = (index: number): RequestLine => ({
  uuid: `req-${index}`,
  session_id: SESSION,
  turn_id: index + 1,
  agent_id: null,
  ts_wall: ago(index * 90),
  request_kind: index % 3 === 0 ? 'prompt' : 'loop',
  tools: index % 3 === 0 ? [] : ['Bash', 'Read'],
  model: 'claude-opus-5-5',
  message_count: 12 + index,
  body_bytes: 190_000,
  retry_of: null,
  status: 200,
  stop_reason: 'end_turn',
  cut_by: null,
  ttft_ms: 900,
  duration_ms: 8400,
  usage: {
    input_tokens: 12,
    output_tokens: 640,
    cache_read_tokens: 0,
    cache_creation_tokens: 48_000,
    thinking_tokens: null,
    cost_usd: 0.32356,
  },
})

const block = (text: string) => JSON.stringify({ type: 'text', text })
const RULES = 'Answer in short sentences. Name the file and the line. '.repeat(12)
const NOTHING = { tool: null, blocks: 1, first_difference: null, before: null, after: null } as const

const diff: RequestDiff = {
  uuid: 'req-2',
  against: 'req-3',
  cause: CAUSES[2] ?? null,
  parameters: [{ name: 'effort', before: '"medium"', after: '"high"' }],
  items: [
    { ...NOTHING, change: 'equal', at: 'tools[0]', kind: 'tool', blocks: 14 },
    { ...NOTHING, change: 'added', at: 'tools[14]', kind: 'tool', tool: 'WebFetch', after: '{"name":"WebFetch"}' },
    {
      ...NOTHING,
      change: 'changed',
      at: 'system[2]',
      kind: 'text',
      first_difference: RULES.length + 32,
      before: block(`${RULES}Status: 2 files changed`),
      after: block(`${RULES}Status: 3 files changed <script>alert(1)</script>`),
    },
    { ...NOTHING, change: 'removed', at: 'messages[4].content[0]', kind: 'image' },
    { ...NOTHING, change: 'equal', at: 'messages[5].content[0]', kind: 'text', blocks: 31 },
  ],
  partial: false,
}

const exchangeOf = (uuid: string): Exchange => ({
  ...requestOf(Number(uuid.slice('req-'.length))),
  method: 'POST',
  path: '/v1/messages?beta=true',
  headers: [],
  body: { model: 'claude-opus-5-5', messages: [{ role: 'user', content: 'Pick the tokens by contrast' }] },
  body_missing: null,
  response: {
    uuid: `${uuid}-response`,
    ts_wall: ago(0),
    message_id: 'm',
    streamed: true,
    headers: [],
    body_bytes: 4200,
    error: null,
  },
  by_class: [
    { class: 'input', units: 12, cost_usd: 0.00006 },
    { class: 'cache_read', units: 0, cost_usd: 0 },
    { class: 'cache_write_5m', units: 46_000, cost_usd: 0.2875 },
    { class: 'cache_write_1h', units: 2000, cost_usd: 0.02 },
    { class: 'output', units: 640, cost_usd: 0.016 },
    { class: 'web_search', units: 0, cost_usd: 0 },
  ],
  blocks: [],
})

export const cacheAnswers: Readonly<Record<string, (input: Record<string, unknown>) => unknown>> = {
  'cache.summary': () => summary,
  'cache.list': ({ cause, limit, cursor }) => {
    const found = MISSES.filter((miss) => cause === undefined || miss.cause.kind === cause)
    const [start, end] = [Number(cursor ?? 0), Number(cursor ?? 0) + Math.min(Number(limit ?? 50), 4)]
    return { items: found.slice(start, end), next: end < found.length ? String(end) : null }
  },
  'requests.list': () => ({ items: Array.from({ length: 30 }, (_, index) => requestOf(index)), next: null }),
  'requests.get': ({ uuid }) => exchangeOf(String(uuid)),
  'requests.diff': ({ uuid }) =>
    uuid === 'req-29'
      ? { uuid, against: null, cause: { kind: 'first_request', where: null, detail: null }, parameters: [], items: [] }
      : { ...diff, uuid },
}
