import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import type { EventKind } from '../../../src/shared/event.ts'
import type { Delta, EventSummary } from '../../../src/shared/live-feed.ts'

const THOUGHT = `The user wants the theme picked by **contrast**, not by taste. Solarized's body tone on its base gives only 4.1:1, under the 4.5:1 that text needs. So I should keep the sixteen colours for shapes and charts, and take darker tones for text. Let me check where the tokens are read before I change them: the chart component takes them from the style sheet, so one place is enough. There is one trap: the mark colour stands on both surfaces, so it has to hold on the darker one as well.`
const ANSWER = `The text now reaches 4.5:1 in both solarized themes. I kept the palette for shapes and charts, and took darker tones for text only, because the body tone misses the mark on its own base. The tokens live in one file, so nothing else had to change.`

const SESSIONS = [
  {
    id: '0193a1c4-7c1e-7a10-9d54-1b1f6f0a0001',
    project: '/home/ada/code/engine',
    prompt: 'Pick the solarized tokens by contrast and tell me why the old ones were wrong',
  },
  {
    id: '0193a1c4-7c1e-7a10-9d54-1b1f6f0a0002',
    project: '/home/ada/code/ledger',
    prompt: 'Why does the nightly import count some invoices twice?',
  },
  { id: '0193a1c4-7c1e-7a10-9d54-1b1f6f0a0003', project: '/home/ada/notes', prompt: 'Draft the release notes for 0.4' },
] as const

let lastId = 5000
function event(
  session: (typeof SESSIONS)[number],
  kind: EventKind,
  text: string,
  change: Partial<EventSummary> = {},
): EventSummary {
  lastId += 1
  return {
    id: lastId,
    uuid: `0193a1c4-0000-7000-8000-${String(lastId).padStart(12, '0')}`,
    session_id: session.id,
    turn_id: 4,
    seq: lastId,
    agent_id: null,
    parent_uuid: null,
    kind,
    source: 'wire',
    ts_wall: new Date().toISOString(),
    duration_ms: null,
    success: null,
    project: session.project,
    text,
    ...change,
  }
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += 9) yield text.slice(start, start + 9)
}

function* written(
  session: (typeof SESSIONS)[number],
  exchange: string,
  index: number,
  block: Delta['block'],
  text: string,
): Generator<LiveBatch> {
  const base = { session_id: session.id, agent_id: null, exchange_id: exchange, message_id: exchange, index, block }
  for (const piece of pieces(text)) yield { events: [], deltas: [{ ...base, text: piece }] }
  yield { events: [], deltas: [{ ...base, text: '', done: true }] }
}

const of = (...events: EventSummary[]): LiveBatch => ({ events, deltas: [] })

/** What a feed shows of three sessions at once. After it, a page that looks at other things draws nothing. */
export function* quietBatches(): Generator<LiveBatch> {
  const [theme] = SESSIONS
  yield* begun()
  yield of(
    event(theme, 'user_prompt', theme.prompt),
    event(theme, 'thinking', THOUGHT),
    event(theme, 'tool_call', 'npm test', { tool_name: 'Bash' }),
    event(theme, 'tool_result', '1 failed, 211 passed', { tool_name: 'Bash', duration_ms: 8412, success: false }),
    event(theme, 'error', 'overloaded_error: the API is overloaded'),
    event(theme, 'assistant_text', ANSWER),
  )
}

function* begun(): Generator<LiveBatch> {
  const [, ledger, notes] = SESSIONS
  yield of(
    event(notes, 'user_prompt', notes.prompt, { source: 'transcript' }),
    event(notes, 'assistant_text', 'Here is a draft of the notes, in three parts.', { source: 'transcript' }),
    event(notes, 'turn_ended', '', { source: 'transcript' }),
  )
  yield of(
    event(ledger, 'user_prompt', ledger.prompt),
    event(
      ledger,
      'thinking',
      'Two rows an invoice: either the file is read twice or the key is not unique. The import log will tell which.',
    ),
    event(ledger, 'tool_call', 'Find where invoices are keyed', { tool_name: 'Agent', call_id: 'c1' }),
    event(ledger, 'agent_started', 'explore: invoice keys', { agent_id: 'a1' }),
    event(ledger, 'tool_call', 'invoice_key', { tool_name: 'Grep', agent_id: 'a1' }),
    event(ledger, 'tool_result', '14 files', { tool_name: 'Grep', agent_id: 'a1', duration_ms: 41, success: true }),
    event(ledger, 'api_usage', '', { tokens: 48_211, cost_usd: 0.2113, model: 'claude-opus-5-5', agent_id: 'a1' }),
    event(ledger, 'tool_call', 'src/import/invoices.ts', { tool_name: 'Read', agent_id: 'a1' }),
  )
}

/** Streams the turn of one of them again and again. */
export function* liveBatches(): Generator<LiveBatch> {
  yield* begun()
  const [theme] = SESSIONS
  for (let round = 0; ; round += 1) {
    const exchange = `x${round}`
    yield of(event(theme, 'user_prompt', theme.prompt, { turn_id: 4 + round }))
    const turn = { turn_id: 4 + round }
    yield of(event(theme, 'model_request', 'POST /v1/messages', { model: 'claude-opus-5-5', ...turn }))
    yield* written(theme, exchange, 0, 'thinking', THOUGHT)
    yield of(event(theme, 'thinking', THOUGHT, { message_id: exchange, index: 0, ...turn }))
    yield of(
      event(theme, 'tool_call', 'rg -n "solarized" src/renderer', { tool_name: 'Bash', ...turn }),
      event(theme, 'api_usage', '', { tokens: 91_402, cost_usd: 0.4127, model: 'claude-opus-5-5', ...turn }),
    )
    for (let wait = 0; wait < 8; wait += 1) yield { events: [], deltas: [] }
    yield of(
      event(theme, 'tool_result', 'src/renderer/styles/tokens.css:74', {
        tool_name: 'Bash',
        duration_ms: 312,
        success: true,
        ...turn,
      }),
    )
    yield of(event(theme, 'tool_call', 'npm test', { tool_name: 'Bash', ...turn }))
    yield of(
      event(theme, 'tool_result', '1 failed, 211 passed', {
        tool_name: 'Bash',
        duration_ms: 8412,
        success: false,
        ...turn,
      }),
    )
    yield of(event(theme, 'error', 'overloaded_error: the API is overloaded', turn))
    yield* written(theme, exchange, 3, 'text', ANSWER)
    yield of(
      event(theme, 'assistant_text', ANSWER, { message_id: exchange, index: 3, ...turn }),
      event(theme, 'model_response', 'end_turn', { exchange_id: exchange, model: 'claude-opus-5-5', ...turn }),
      event(theme, 'turn_ended', 'end_turn', turn),
      event(theme, 'api_usage', '', { tokens: 93_020, cost_usd: 0.1204, model: 'claude-opus-5-5', ...turn }),
    )
    for (let wait = 0; wait < 30; wait += 1) yield { events: [], deltas: [] }
  }
}
