/** Generated answers about the cost of the context. */
import type { CarryGroup } from '../../../src/shared/contract/carry.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

function group(key: string | null, usd: number, more: Partial<CarryGroup> = {}): CarryGroup {
  return {
    key,
    label: null,
    session_id: null,
    turn_id: null,
    blocks: 12,
    bytes: 38_000,
    requests: 400,
    tokens: usd * 1_100_000,
    read_tokens: usd * 1_000_000,
    written_tokens: usd * 90_000,
    uncached_tokens: usd * 10_000,
    usd,
    read_usd: usd * 0.6,
    written_usd: usd * 0.3,
    uncached_usd: usd * 0.1,
    ...more,
  }
}

const GROUPS: Readonly<Record<string, readonly CarryGroup[]>> = {
  kind: [group('tool_result', 40), group('system_prompt', 30), group('tool_schema', 20), group('unknown', 10)],
  tool: [group('mcp__tracker__list_open_issues', 60), group(null, 40)],
  prompt: [group(`${SESSION}/3`, 100, { label: 'Why is the orbit wrong?', session_id: SESSION, turn_id: 3 })],
}

const NOTHING = { requests: 0, tokens: 0, usd: 0 }

const found = (by: string): OperationOutput<'carry.list'> => ({
  // The window asks for no other groups.
  by: by as 'kind',
  items: [...(GROUPS[by] ?? [])],
  more: false,
  total: { requests: 8123, tokens: 91_000_000, usd: 100, unpriced: 0 },
  estimated: NOTHING,
  unknown: { requests: 143, tokens: 900_000, usd: 10, reasons: [] },
  never_called: { tools: 12, usd: 4.1, items: [] },
})

/** The first blocks of a request. */
function blockAt(position: number, exchange: string): OperationOutput<'carry.session'>['items'][number] {
  const {
    key: _,
    label: __,
    session_id: ___,
    turn_id: ____,
    blocks: _____,
    ...sums
  } = group('block', 0.25 * (position + 1))
  const at = '2026-11-20T08:00:00.000Z'
  return {
    ...sums,
    kind: 'tool_schema',
    tool: null,
    server: null,
    name: null,
    agent_id: null,
    turn_id: 1,
    requests: 31,
    entered: { exchange, ts_wall: at, position },
    last: { exchange, ts_wall: at },
    ended: false,
  }
}

export const carryAnswers: Readonly<Record<string, (input: Record<string, unknown>) => unknown>> = {
  'carry.list': ({ by }) => found(String(by)),
  'carry.session': ({ session_id: session, exchange }) => ({
    session_id: session,
    items: [0, 1, 2, 3].map((position) => blockAt(position, String(exchange))),
    more: false,
    by_kind: [],
    total: { ...NOTHING, unpriced: 0 },
    estimated: NOTHING,
    unknown: { ...NOTHING, reasons: [] },
  }),
}

export const emptyCarry = (by: string): OperationOutput<'carry.list'> => ({
  ...found(by),
  items: [],
  total: { ...NOTHING, unpriced: 0 },
  estimated: NOTHING,
  unknown: { ...NOTHING, reasons: [] },
  never_called: { tools: 0, usd: 0, items: [] },
})
