import type { EventKind } from '../../../src/shared/event.ts'

const MARKDOWN = `The text tokens are too light. On \`base3\` the body tone gives **4.13:1**, and text needs 4.5:1.

## What I would do

1. Keep the sixteen colours for shapes and charts.
2. Take darker tones for text:

\`\`\`ts
export const ink = '#073642' // 12.1:1 on base3
const ratio = (one: Rgb, other: Rgb): number => luminance(one) / luminance(other)
\`\`\`

| token | was | is | ratio |
|---|---|---|---|
| soft | #657b83 | #3f5a62 | 6.9 |
| faint | #93a1a1 | #516a71 | 5.4 |

> A script stays text: <script>alert(1)</script>, an image too: ![tracker](https://example.com/pixel.png),
> and [this link](javascript:alert(1)) leads nowhere, while [this one](https://example.com/contrast) does.

- [x] tokens
- [ ] charts`

const OUTPUT = `\u001B[32m ✓\u001B[39m unit src/renderer/lib/time-range.test.ts (5 tests)
\u001B[31m ✗\u001B[39m unit src/renderer/lib/format.test.ts
AssertionError: expected '1000k' to be '1M'
 Tests  1 failed, 21 passed`

type Step = readonly [kind: EventKind, payload: Record<string, unknown>, more?: Record<string, unknown>]

const TURN: readonly Step[] = [
  [
    'user_prompt',
    {
      text: 'Pick the solarized tokens by contrast, and tell me why the old ones were wrong.\nKeep the charts as they are.',
    },
  ],
  [
    'thinking',
    {
      text: "The user wants contrast, not taste. Solarized's body tone on its base gives only 4.1:1, under the 4.5:1 that text needs.\n\nI should measure before I change: where are the tokens read?",
      signature_only: false,
      message_id: 'm',
      index: 0,
    },
  ],
  [
    'tool_call',
    {
      call_id: 'c1',
      tool_name: 'Bash',
      input: { command: 'rg -n "solarized" src/renderer', description: 'Find the theme' },
    },
  ],
  [
    'tool_result',
    {
      call_id: 'c1',
      tool_name: 'Bash',
      output: 'src/renderer/styles/tokens.css:74:  solarized',
      is_error: false,
      rejected: false,
    },
    { duration_ms: 312, success: true },
  ],
  [
    'tool_call',
    {
      call_id: 'c2',
      tool_name: 'Agent',
      input: { description: 'Measure every pair of colours', prompt: '…', subagent_type: 'explore' },
    },
  ],
  [
    'agent_started',
    { agent_id: 'a1', agent_type: 'explore', parent_agent_id: null, call_id: 'c2' },
    { agent_id: 'a1' },
  ],
  [
    'thinking',
    { text: 'Luminance first, then the ratio of each pair.', signature_only: false, message_id: 'm2', index: 0 },
    { agent_id: 'a1' },
  ],
  [
    'tool_call',
    { call_id: 'c3', tool_name: 'Read', input: { file_path: '/home/ada/code/engine/src/contrast.ts' } },
    { agent_id: 'a1' },
  ],
  [
    'tool_result',
    {
      call_id: 'c3',
      tool_name: 'Read',
      output: '1\texport function luminance(rgb) {\n2\t  return 0.2126 * rgb.r\n3\t}',
      is_error: false,
      rejected: false,
    },
    { agent_id: 'a1', duration_ms: 9, success: true },
  ],
  ['agent_ended', { agent_id: 'a1', agent_type: 'explore' }, { agent_id: 'a1' }],
  [
    'tool_result',
    { call_id: 'c2', tool_name: 'Agent', output: 'Two of nine pairs miss 4.5:1.', is_error: false, rejected: false },
    { duration_ms: 41_200, success: true },
  ],
  ['assistant_text', { text: MARKDOWN, message_id: 'm', index: 2 }],
  [
    'tool_call',
    {
      call_id: 'c4',
      tool_name: 'Edit',
      input: {
        file_path: 'src/renderer/styles/tokens.css',
        old_string: '  --bg: #fdf6e3;\n  --soft: #657b83;\n  --faint: #93a1a1;\n  --line: #eee8d5;',
        new_string: '  --bg: #fdf6e3;\n  --soft: #3f5a62;\n  --faint: #516a71;\n  --line: #eee8d5;',
      },
    },
  ],
  [
    'tool_result',
    { call_id: 'c4', tool_name: 'Edit', output: 'The file has been updated.', is_error: false, rejected: false },
    { duration_ms: 21, success: true },
  ],
  ['tool_call', { call_id: 'c5', tool_name: 'Bash', input: { command: 'npm test', description: 'Run the tests' } }],
  [
    'tool_result',
    { call_id: 'c5', tool_name: 'Bash', output: OUTPUT, is_error: true, rejected: false },
    { duration_ms: 8412, success: false },
  ],
  ['error', { origin: 'upstream', type: 'overloaded_error', message: 'Overloaded', status: 529 }],
  ['thinking', { text: '', signature_only: true, message_id: 'm', index: 4 }],
  [
    'assistant_text',
    {
      text: 'Both themes now pass. One test of the formatter failed for an unrelated reason; I left it unchanged.',
      message_id: 'm',
      index: 5,
    },
  ],
  [
    'compaction',
    {
      trigger: 'auto',
      summary: '**Decisions**: text tokens are darker than the palette.',
      tokens_before: 168_000,
      tokens_after: 21_400,
    },
  ],
]

const START = Date.now() - 3 * 3_600_000

/** Returns the events of a long session: the same turn sixty times. */
export function harnessEvents(sessionId: string) {
  return Array.from({ length: TURN.length * 60 }, (_, index) => {
    const turn = Math.floor(index / TURN.length)
    const [kind, payload, more] = TURN[index % TURN.length] ?? (['notification', {}] as const)
    const named = Object.fromEntries(
      Object.entries(payload).map(([name, value]) => [
        name,
        name === 'call_id' || name === 'agent_id' ? `${value}-${turn}` : value,
      ]),
    )
    return {
      id: index + 1,
      uuid: `u-${index}`,
      session_id: sessionId,
      turn_id: turn + 1,
      seq: index % TURN.length,
      agent_id: null as string | null,
      parent_uuid: null,
      kind,
      source: 'wire',
      ts_wall: new Date(START + index * 4000).toISOString(),
      ts_monotonic: null,
      duration_ms: null,
      success: null,
      error_message: null,
      request_id: null,
      user_id: null,
      project: '/home/ada/code/engine',
      schema_version: 1,
      payload: named,
      ...more,
      ...(more?.['agent_id'] === undefined ? {} : { agent_id: `${String(more['agent_id'])}-${turn}` }),
    }
  })
}

/** Returns one of the events with its sightings. */
export function harnessEvent(uuid: string) {
  const event = harnessEvents('0193a1c4-7c1e-7a10-9d54-000000000001').find((one) => one.uuid === uuid)
  if (!event) throw new Error(`There is no event ${uuid}.`)
  return {
    ...event,
    sightings: [
      { source: 'wire', session_id: event.session_id, seen_at: event.ts_wall, payload: {} },
      { source: 'transcript', session_id: event.session_id, seen_at: event.ts_wall, payload: {} },
    ],
    keys: [],
  }
}
