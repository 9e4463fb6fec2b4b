/** Generated answers about the history of a file. */

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'
const OTHER = '0193a1c4-7c1e-7a10-9d54-000000000004'
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()

const STATES = [
  ['--bg: #fdf6e3;', '--soft: #657b83;', '--faint: #93a1a1;', '--line: #eee8d5;'],
  ['--bg: #fdf6e3;', '--soft: #3f5a62;', '--faint: #516a71;', '--line: #eee8d5;'],
  ['--bg: #fdf6e3;', '--ink: #073642;', '--soft: #3f5a62;', '--faint: #516a71;', '--line: #eee8d5;'],
] as const
const WRITERS: Readonly<Record<string, readonly [call: string, session: string, prompt: string]>> = {
  '--soft: #3f5a62;': [
    'call2',
    SESSION,
    'Pick the solarized tokens by contrast, and tell me why the old ones were wrong.',
  ],
  '--faint: #516a71;': [
    'call2',
    SESSION,
    'Pick the solarized tokens by contrast, and tell me why the old ones were wrong.',
  ],
  '--ink: #073642;': ['call3', OTHER, 'Now the ink'],
}

function blameOf(path: unknown, until: unknown) {
  const state = STATES[Number(String(until).slice(-1)) - 1] ?? STATES[2]
  return {
    path,
    state: 'known',
    doubted_since: null,
    is_whole: true,
    line_count: state.length + 3,
    items: [':root {', ...state.map((text) => `  ${text}`), '}', ''].map((text, index) => {
      const [event, session, prompt] = WRITERS[text.trim()] ?? []
      return {
        line: index + 1,
        text: index === 1 && until === 'state1' ? null : text,
        origin: event === undefined ? 'seen' : 'proven',
        event: event ?? 'call1',
        earlier_forms: [],
        prompt: event === undefined ? null : `prompt-${event}`,
        prompt_text: prompt ?? null,
        session_id: session ?? SESSION,
        turn_id: 1,
        agent_id: null,
        model: 'claude-opus-5-5',
        ts_wall: at(3),
        cost_usd: 0.42,
      }
    }),
    partial: false,
  }
}

export const fileAnswers: Readonly<Record<string, (input: Record<string, unknown>) => unknown>> = {
  'files.history': ({ path }) => ({
    path,
    items: (['shown', 'changed', 'doubted', 'changed'] as const).map((action, index) => ({
      uuid: `state${index === 3 ? 3 : index === 2 ? 9 : index + 1}`,
      session_id: index === 3 ? OTHER : SESSION,
      turn_id: 1,
      agent_id: null,
      timestamp: at(index * 7),
      tool_name: ['Read', 'Edit', 'Bash', 'Edit'][index],
      action,
      path,
      state: 'known',
      lines: 6,
      is_doubted: index === 3,
    })),
    partial: false,
  }),
  'files.at': ({ path }) => ({
    path,
    state: 'unknown',
    timestamp: null,
    doubted_since: null,
    is_whole: false,
    line_ending: null,
    lines: [],
    holes: [],
    partial: false,
  }),
  'files.tree': () => ({ folder: '/work', items: [], partial: false }),
  'files.blame': ({ path, until }) => blameOf(path, until),
  'files.restore': ({ path, preview, out }) => ({
    path,
    out: out ?? `${String(path)}.restored`,
    is_written: preview !== true,
    is_same: false,
    is_recorded: preview !== true,
    kept: null,
    diff: '@@ -1,4 +1,4 @@\n :root {\n   --bg: #fdf6e3;\n-  --soft: #000000;\n+  --soft: #3f5a62;\n',
    lines: 6,
    holes: [],
    is_whole: true,
    doubted_since: null,
    line_ending: 'lf',
  }),
}
