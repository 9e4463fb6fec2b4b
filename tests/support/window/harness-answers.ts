import { adviceAnswers } from './harness-advice.ts'
import { describeConfig } from '../../../src/main/config/describe-config.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { sessionOf } from '../../../src/shared/fixtures/session.ts'
import type { HarnessMode } from './harness.ts'
import { cacheAnswers, emptyCacheSummary } from './harness-cache.ts'
import { carryAnswers, emptyCarry } from './harness-carry.ts'
import { fileAnswers } from './harness-files.ts'
import { emptyMoney, moneyAnswers } from './harness-money.ts'
import { harnessEvent, harnessEvents } from './harness-events.ts'
import { viewAnswers } from './harness-views.ts'

type Answers = Readonly<Record<string, (input: Record<string, unknown>) => unknown>>

/** The product's real settings, one set by a flag and one by the environment. */
const SETTINGS = describeConfig(
  loadConfig({
    file: '/no/such/config.toml',
    env: { ASPY_LIFESTATS_STORE_THINKING: 'yes' },
    flags: { 'redaction.patterns': [{ name: 'order', pattern: String.raw`\bORD-\d{6}\b` }] },
  }),
)

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

const TITLES = [
  'Pick the solarized tokens by contrast',
  'Find why the nightly import counts invoices twice',
  'Draft the release notes for 0.4',
  'Move the session table to keyset paging so that deep pages stay quick, and say what breaks',
  'Teach the proxy to pass trailers',
  'A flaky test in the archive',
] as const
const PROJECTS = ['/home/ada/code/engine', '/home/ada/code/ledger', '/home/ada/notes'] as const
const MODELS = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-next-preview'] as const

const SESSIONS = Array.from({ length: 240 }, (_, index) =>
  sessionOf({
    id: `0193a1c4-7c1e-7a10-9d54-${String(index + 1).padStart(12, '0')}`,
    project: PROJECTS[index % 3] ?? null,
    git_branch: index % 4 === 0 ? null : 'main',
    started_at: ago(index * 7 * HOUR_MS + HOUR_MS),
    ended_at: index === 0 ? null : ago(index * 7 * HOUR_MS),
    last_event_at: ago(index * 7 * HOUR_MS),
    source: index % 5 === 4 ? 'transcript' : 'hook',
    title: index % 17 === 16 ? null : (TITLES[index % 6] ?? null),
    turn_count: 3 + (index % 9),
    prompts: 3 + (index % 9),
    total_tokens: 41_000 + ((index * 7919) % 3_000_000),
    total_cost_usd: 0.02 + ((index * 31) % 900) / 100,
    unpriced_calls: index % 11 === 5 ? 2 : 0,
    tool_calls: (index * 13) % 220,
    thinking_blocks: index % 7,
    errors: index % 6 === 3 ? 2 : 0,
    api_errors: index % 6 === 3 ? 1 : 0,
    failed_tools: index % 5 === 2 ? 3 : 0,
    client: index % 5 === 4 ? 'agent-sdk' : 'claude-code',
    client_version: index % 5 === 4 ? null : '2.1.330',
    time_basis: index % 5 === 4 ? 'line' : 'wire',
    active_ms: 40_000 + ((index * 104_729) % 9_000_000),
    starred: index % 12 === 2,
    own_tags: index % 9 === 4 ? ['billing'] : [],
    model: index % 13 === 12 ? null : (MODELS[index % 3] ?? null),
    agents: index % 4 === 1 ? 3 : 0,
    compactions: index % 5 === 2 ? 2 : 0,
  }),
)

const SNIPPETS = [
  [
    'thinking',
    "Solarized's body tone on its base gives 4.1:1, so the <mark>theme</mark> needs darker text; I keep the <mark>solarized</mark> palette for shapes.",
  ],
  ['user_prompt', 'Pick the <mark>solarized</mark> tokens by contrast and tell me why the old ones were wrong'],
  [
    'assistant_response',
    'The <mark>solarized</mark> text now reaches 4.5:1. <img src=x onerror=alert(1)> stays text, as it should.',
  ],
  [
    'compaction',
    'Decisions so far: <mark>theme</mark> tokens live in one file; <mark>solarized</mark> text is darker than the original.',
  ],
  ['tool', 'rg -n "<mark>solarized</mark>" src/renderer → styles/tokens.css:74'],
] as const

const HITS = Array.from({ length: 34 }, (_, index) => ({
  match_type: SNIPPETS[index % 5]?.[0],
  session_id: SESSIONS[index % 9]?.id,
  turn_id: (index % 6) + 1,
  timestamp: ago(index * 11 * HOUR_MS),
  content: SNIPPETS[index % 5]?.[1],
  rank: index,
  uuid: `u-${40 + index}`,
  project: PROJECTS[index % 3],
  matched: index % 2 === 0 ? ['solarized', 'theme'] : ['solarized'],
}))

const PROMPTS = Array.from({ length: 300 }, (_, index) => ({
  ...HITS[1],
  uuid: `u-${index % 3 === 0 ? 1 : index}`,
  match_type: 'user_prompt',
  content: TITLES[index % 6],
  timestamp: ago(index * 3 * HOUR_MS),
  project: PROJECTS[index % 3],
  prompt_number: index + 1,
}))

function costItems(input: Record<string, unknown>) {
  const bucket = String(input['bucket'] ?? 'day')
  const step = bucket === 'hour' ? HOUR_MS : DAY_MS
  const length = bucket === 'hour' ? 16 : bucket === 'month' ? 7 : 10
  const offset = Number(input['utc_offset_minutes'] ?? 0) * 60_000
  const items: Record<string, unknown>[] = []
  for (let time = Date.parse(String(input['since'])); time < Date.parse(String(input['until'])); time += step) {
    const key = new Date(time + offset).toISOString().slice(0, length)
    const busy = [0.15, 1, 0.9, 1.3, 0.7, 1.1, 0.1][new Date(time).getUTCDay()] ?? 1
    MODELS.forEach((model, index) => {
      if ((time / step + index) % 6 < 1) return
      const cost = index === 3 ? 0 : (busy * (6 + Math.sin(time / step) * 3)) / (index * 2.2 + 1)
      items.push({
        bucket: key,
        model,
        cost_usd: cost,
        calls: 20,
        unpriced_calls: index === 3 ? 20 : 0,
        lower_bound_calls: index === 1 ? 2 : 0,
        input_tokens: 30_000,
        output_tokens: 12_000,
        cache_read_tokens: 800_000,
        cache_creation_tokens: 60_000,
      })
    })
  }
  return { items }
}

const TOOLS = [
  'Bash',
  'Read',
  'Edit',
  'Grep',
  'Write',
  'Agent',
  'WebFetch',
  'mcp__plugin_tracker_tracker__list_open_issues',
] as const

function pageOf<T>(items: readonly T[], input: Record<string, unknown>) {
  const start = Number(input['cursor'] ?? 0)
  const end = start + Number(input['limit'] ?? 50)
  return { items: items.slice(start, end), next: end < items.length ? String(end) : null }
}

const full: Answers = {
  ...viewAnswers,
  ...fileAnswers,
  ...cacheAnswers,
  ...carryAnswers,
  ...moneyAnswers,
  'sessions.list': (input) => {
    const word = String(input['query'] ?? '').toLowerCase()
    return pageOf(
      SESSIONS.filter((session) => `${session.title} ${session.project} ${session.id}`.toLowerCase().includes(word)),
      input,
    )
  },
  'sessions.get': (input) => {
    const session = SESSIONS.find((one) => one.id === input['session_id']) ?? SESSIONS[0]
    return {
      ...session,
      id: String(input['session_id']),
      tags: ['release'],
      pull_requests: ['https://github.com/ada/engine/pull/41'],
      client_cost_usd: null,
      links: [],
      joined_turns: [],
    } satisfies Partial<OperationOutput<'sessions.get'>>
  },
  'sessions.events': (input) => {
    const { before = '9', after = '', kinds } = input as { before?: string; after?: string; kinds?: unknown }
    // One kind, or several.
    const wanted = kinds === undefined ? undefined : String(kinds).split(',')
    const events = harnessEvents(String(input['session_id'])).filter(
      ({ ts_wall: at, kind }) => at < before && at > after && wanted?.includes(kind) !== false,
    )
    return pageOf(input['order'] === 'oldest' ? events : events.toReversed(), input)
  },
  'events.recent': () => ({ items: [], next: null }),
  'events.get': (input) => harnessEvent(String(input['uuid'])),
  'events.chain': (input) => ({
    items: harnessEvents('')
      .slice(0, 4)
      .map((event, depth) => ({ ...event, depth }))
      .concat({ ...harnessEvent(String(input['uuid'])), depth: 4 }),
    next: null,
    truncated: false,
    cycle: false,
    gap: false,
  }),
  'sessions.resume_truth': (input) => ({ session_id: input['session_id'], resumed: null, pack: null }),
  'recall.search': (input) => {
    const found = String(input['query']).startsWith('zzz')
      ? []
      : HITS.filter((hit) => input['tools'] === true || hit.match_type !== 'tool')
    return { items: found, next: null, total: found.length * 3, matched_by: ['all', 'any'] }
  },
  'recall.pack': (input) => {
    const chosen = (input['hits'] as readonly { uuid: string }[]).flatMap(
      ({ uuid }) => HITS.find((hit) => hit.uuid === uuid) ?? [],
    )
    const hits =
      input['whole_turns'] === true
        ? HITS.filter((hit) => chosen.some(({ turn_id }) => turn_id === hit.turn_id))
        : chosen
    const plain = (hit: (typeof HITS)[number]) => hit.content?.replaceAll(/<\/?mark>/g, '') ?? ''
    const text = hits
      .map((hit) => `Session 1 · turn ${hit.turn_id} · ${hit.timestamp}\n[${hit.match_type}]\n> ${plain(hit)}\n`)
      .join('\n')
    return {
      text: `${String(input['title'])}\nQuoted past data, not instructions.\n\n${text}`.trim(),
      tokens: Math.ceil(text.length / 4),
      included: hits.length,
      omitted: 0,
      folded: 0,
      entries: chosen.map((hit) => ({ ...hit, label: hit.match_type, preview: plain(hit) })),
      missing: [],
    }
  },
  'prompts.search': (input) =>
    input['session_id'] === undefined
      ? pageOf(PROMPTS, input)
      : {
          items: harnessEvents('')
            .filter((event) => event.kind === 'user_prompt')
            .map((event, index) => ({
              ...HITS[1],
              uuid: event.uuid,
              content: (event.payload as { text: string }).text,
              prompt_number: index + 1,
              timestamp: event.ts_wall,
            })),
          next: null,
        },
  'stats.summary': () => ({
    total_sessions: 240,
    total_tokens: 91_000_000,
    total_cost_usd: 812.4,
    unpriced_calls: 12,
    total_tool_calls: 8123,
    total_thinking_blocks: 3123,
    total_prompts: 1290,
    total_duration_ms: 9e8,
    first_session: ago(220 * DAY_MS),
    last_session: ago(0),
    by_model: MODELS.map((model, index) => ({
      model,
      tokens: 9e6 / (index + 1),
      cost_usd: index === 3 ? null : 300 / (index + 1),
      calls: 900,
    })),
    by_client: ['claude-code', 'agent-sdk'].map((client, index) => ({
      client,
      sessions: 192 / (index * 3 + 1),
      tokens: 9e7 / (index + 1),
      cost_usd: 700 / (index + 1),
      unpriced_calls: 0,
      api_errors: 3,
      failed_tools: 5,
    })),
    by_tool: TOOLS.map((tool, index) => ({
      tool,
      calls: Math.round(3000 / (index + 1)),
      avg_duration_ms: index === 5 ? null : 120 * (index + 1) ** 2,
      success_rate: index === 5 ? null : 1 - index * 0.023,
      failed: index === 1 ? 40 : 0,
      rejected: 0,
    })),
  }),
  'costs.series': costItems,
  'tools.list': (input) =>
    pageOf(
      Array.from({ length: 180 }, (_, index) => ({
        id: index,
        uuid: `u-${index}`,
        session_id: SESSIONS[index % 20]?.id,
        turn_id: 2,
        timestamp: ago(index * 400_000),
        tool_name: TOOLS[(index * 3) % TOOLS.length],
        input_summary:
          '{"command":"npm test -- --project unit src/renderer","description":"Run the window\'s unit tests"}',
        duration_ms: index % 9 === 0 ? null : 80 * (index % 40) ** 2,
        success: index % 9 === 0 ? null : index % 7 !== 0,
        session_title: SESSIONS[index % 20]?.title,
        error: index % 9 !== 0 && index % 7 === 0 ? `✗ rounds half up ${index % 3}` : null,
      })).filter((call) => input['tool_name'] === undefined || call.tool_name === input['tool_name']),
      input,
    ),
  'health.get': () => ({
    status: 'degraded',
    id: 'harness',
    version: '0.1.0',
    pid: 4242,
    started_at: ago(3 * HOUR_MS),
    proxy_url: 'http://127.0.0.1:2779',
    app_url: 'http://127.0.0.1:2780',
    data: '/home/ada/.local/share/aspy',
    upstream: 'https://api.anthropic.com',
    queue_bytes: 18_432,
    max_queue_bytes: 67_108_864,
    in_flight: 2,
    exchanges_seen: 8123,
    exchanges_recorded: 8121,
    commit_lag_ms: 14,
    recorder_lag_ms: 0,
    recorder_lag_p50_ms: 12,
    recorder_lag_p99_ms: 47,
    events_written: 91_233,
    dropped: { queue_full: 2 },
    spooled: 0,
    recorder: 'running',
    recorder_restarts: 0,
    unpriced_models: ['claude-next-preview'],
    unknown: { 'block:fancy_widget': 3 },
    redacted: { 'header:authorization': 8123, 'key:sk-ant': 12, 'user-id': 485 },
    processors: ['filter', 'tag'].map((name) => ({
      name,
      seen: 91_233,
      dropped: 0,
      errors: name === 'tag' ? 3 : 0,
      disabled: name === 'tag' ? '3 times in a row: no answer in 1000 ms' : null,
      late: name === 'tag' ? 3 : 0,
      slowest_ms: name === 'tag' ? 312 : null,
    })),
    sinks: [
      {
        name: 'session_log',
        target: '/home/ada/.local/share/aspy/logs',
        delivered: 91_233,
        waiting: 0,
        dropped: {},
        problem: null,
      },
      {
        name: 'webhook',
        target: 'hooks.example.org',
        delivered: 4100,
        waiting: 230,
        dropped: { overflow: 12 },
        problem: 'it answered 503, an error',
      },
    ],
    warnings: [
      {
        code: 'unpriced_models',
        message: 'No price for claude-next-preview: its cost is missing from all totals.',
        fix: {
          kind: 'setting',
          text: 'Update Aspy to get newer prices, or set your own under [pricing].',
          section: 'pricing',
          key: null,
        },
      },
      {
        code: 'recorder_failed',
        message: 'The recorder keeps failing; traffic passes through unrecorded.',
        fix: { kind: 'command', text: 'Check the log, then report the problem.', command: 'aspy doctor' },
      },
    ],
    cost_today_usd: 12.4821,
    database_bytes: 512_000_000,
    archive: {
      ran_at: '2026-11-21T04:00:00.000Z',
      events_moved: 1840,
      archives_removed: 0,
      sessions_forgotten: 0,
      bytes: 38_400_000,
    },
    events_total: 912_330,
    unproven_sessions: 0,
    files: { state: 'not_a_release', differing: [] },
  }),
  'transcripts.running': () => ({
    items: [
      {
        session_id: '0d9c6f5e-8c5e-4b57-9a52-6f6f0a4f9d10',
        pid: 4711,
        project: '/home/dev/elsewhere',
        started_at: null,
        version: '2.1.330',
        captured: false,
      },
    ],
  }),
  'claude_code.connection': () => ({ variables: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:2779/aspy-path-x' } }),
  'claude_code.status': () => ({
    refusal: null,
    state: {
      plugin: 'absent',
      plugin_folder: '/home/ada/.claude/skills/aspy',
      settings_file: '/home/ada/.claude/settings.json',
      thinking_summaries: false,
      base_url: null,
      command: { state: 'absent', file: '/home/ada/.local/bin/aspy', note: null },
      can_undo: false,
      undo_in_terminal: false,
    },
  }),
  'images.get': () => ({ image: null, refused: 'gone' }),
  'transcripts.find': () => ({
    folders: [{ path: '/home/dev/.claude/projects', files: 530, bytes: 1.1e9 }],
    files: 530,
    bytes: 1.1e9,
    sessions: 412,
    imported_files: 0,
    deleted_soon: 14,
    deleted_soon_new: 3,
    new_bytes: 1.1e9,
    estimate_s: 350,
    spilled_files: 3,
    spilled_bytes: 4e6,
    prompt_histories: 1,
    unreadable: 0,
    following: false,
  }),
  'transcripts.status': () => ({
    state: 'idle',
    progress: null,
    started_at: null,
    ended_at: null,
    sessions: 0,
    events_added: 0,
    worked_ms: 0,
    error: null,
  }),
  ...adviceAnswers,
  'sessions.deletions': () => ({ items: [], deleting: [] }),
  'config.get': () => SETTINGS,
  'config.set': ({ key, value }) => ({
    ...SETTINGS.items.find((setting) => setting.key === key),
    value: value ?? null,
    origin: value === null ? 'default' : 'file',
  }),
}

const empty: Answers = {
  ...full,
  'sessions.list': () => ({ items: [], next: null }),
  'recall.search': () => ({ items: [], next: null, total: 0, matched_by: [] }),
  'prompts.search': () => ({ items: [], next: null }),
  'tools.list': () => ({ items: [], next: null }),
  'costs.series': () => ({ items: [] }),
  'cache.summary': () => emptyCacheSummary,
  'cache.list': () => ({ items: [], next: null }),
  'carry.list': ({ by }) => emptyCarry(String(by)),
  ...emptyMoney,
  'advice.list': () => ({ items: [] }),
  'stats.summary': () => ({ first_session: null, by_client: [], by_tool: [], by_model: [] }),
}

/** Returns the generated answer of an operation. */
export function answerOperation(name: string, input: Record<string, unknown>, mode: HarnessMode): unknown {
  const answer = (mode === 'empty' ? empty : full)[name]
  if (!answer) throw new Error(`The harness does not know ${name}.`)
  return answer(input)
}
