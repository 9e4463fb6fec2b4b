import type { Advice } from '../../../src/shared/contract/advice.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'

const SETTINGS = '/home/dev/ferry/.claude/settings.local.json'
const CASES = Array.from({ length: 24 }, (_, at) => ({
  uuid: `0193a1c4-7c1e-7a10-9d54-${String(at + 1).padStart(12, '0')}`,
  session_id: 'ferry-1',
  session_title: 'Comments that are hidden in the editor',
  timestamp: '2026-11-20T10:00:00.000Z',
  usd: 0.5 - at / 100,
  minutes: 0,
}))
const PAUSES: Advice = {
  id: 'pauses-7f3a',
  kind: 'pauses',
  scope: { project: '/home/dev/ferry', client: 'claude-code' },
  headline:
    'The cache had expired after 24 of 61 pauses of more than 5 minutes, in 1 session: $12.40 a month to write it again',
  evidence: CASES.map(({ uuid }) => uuid),
  cases: CASES,
  hits: 24,
  opportunities: 61,
  recorded_days: 90,
  usd_per_month: 12.4,
  minutes_per_month: 0,
  band: [8.1, 17.9],
  fix: {
    title: 'Keep the cache for an hour in this project',
    steps: [
      'Set ENABLE_PROMPT_CACHING_1H to 1 in the environment of this project. Each write to the cache then costs more.',
      'It would have saved $9.10 of that, after the higher price of all writes since such pauses began.',
    ],
    files: [
      {
        path: SETTINGS,
        diff: `--- ${SETTINGS}\n+++ ${SETTINGS}\n@@ -1,3 +1,6 @@\n {\n+  "env": {\n+    "ENABLE_PROMPT_CACHING_1H": "1"\n+  },\n   "model": "opus"\n }`,
      },
    ],
  },
  state: 'open',
  checked: null,
}
const RETRIES: Advice = {
  ...PAUSES,
  id: 'failing_command-1c',
  kind: 'failing_command',
  headline:
    '`npm run lint` failed in the same way in 9 of 14 sessions: $0.80 a month for the answers that dealt with it',
  usd_per_month: 0.8,
  band: [0.3, 1.4],
  fix: { title: 'Say in CLAUDE.md how `npm run lint` works here', steps: ['Name the right folder.'], files: [] },
}
const LOGS: Advice = {
  ...PAUSES,
  id: 'large_output-2d',
  kind: 'large_output',
  headline:
    '11 of 14 sessions carried output of `npm run build`, about 9k tokens each, in later turns, where nothing repeats it: $3.10 a month',
  usd_per_month: 3.1,
  band: [1.9, 4.6],
  fix: { title: 'Make the output of `npm run build` short', steps: ['Name the quiet form in CLAUDE.md.'], files: [] },
}
const IDLE: Advice = {
  ...PAUSES,
  id: 'carried_unused-3e',
  kind: 'carried_unused',
  headline: '31 sessions carried 26 tools of MCP server browser and none called it: $2.20 a month',
  usd_per_month: 2.2,
  band: [1.8, 2.7],
  fix: { title: 'Deny browser in this project', steps: [`${SETTINGS} has this setting already.`], files: [] },
  state: 'worked',
  checked: { before: 0.071, after: 0, n: 10, p: 0.0002 },
}
const ASKED: Advice = {
  ...PAUSES,
  id: 'permissions-4f',
  kind: 'permissions',
  headline: 'You were asked 40 times about `git diff`, and always allowed it: it waited 22 minutes a month for you',
  usd_per_month: 0,
  minutes_per_month: 22,
  band: [0, 0],
}
const ALL: readonly Advice[] = [PAUSES, LOGS, IDLE, RETRIES, { ...ASKED, state: 'dismissed' }]

/** Suggestions, and a guard that let something pass. */
export const adviceAnswers = {
  'advice.list': (): OperationOutput<'advice.list'> => ({ items: [...ALL] }),
  'advice.apply': () => ({ item: { ...PAUSES, state: 'applied' as const }, note: null }),
  'advice.undo': () => ({ item: { ...IDLE, state: 'undone' as const }, note: null }),
  'advice.dismiss': () => ({ item: { ...LOGS, state: 'dismissed' as const }, note: null }),
  'guard.get': (): OperationOutput<'guard.get'> => ({
    enabled: true,
    action: 'hold',
    caps: [{ cap: 'day_usd', limit: 20, used: 7.5 }],
    project_caps: [{ project: '/home/me/shop', cap: 'day_usd', limit: 5, used: 4.1 }],
    held: [],
    counts: { checked: 90, unpriced: 2, notified: 0, held: 0, allowed: 0, refused: 0, gave_up: 0 },
    in_flight: 1,
    most_in_flight: 4,
    strict: false,
    lower_bound: { requests: 3, usd: 0.12, tokens: 4000 },
    passed: [{ reason: 'no_price', requests: 2, last_at: '2026-11-20T10:00:00.000Z', last_session_id: null }],
  }),
}
