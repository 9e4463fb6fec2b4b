import type { Advice } from '../../../src/shared/contract/advice.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'

const PAUSES: Advice = {
  id: 'pauses-7f3a',
  kind: 'pauses',
  scope: { project: '/home/dev/ferry', client: 'claude-code' },
  headline: 'After 24 of 61 pauses, the prompt cache had expired and was written again.',
  evidence: ['0193a1c4-7c1e-7a10-9d54-000000000001'],
  opportunities: 61,
  usd_per_month: 12.4,
  minutes_per_month: 0,
  band: [8.1, 17.9],
  fix: {
    title: 'Keep the cache for an hour in this project',
    steps: ['Set ENABLE_PROMPT_CACHING_1H in the settings of the project.'],
    files: [{ path: '/home/dev/ferry/.claude/settings.local.json', diff: '+{"env":{"ENABLE_PROMPT_CACHING_1H":"1"}}' }],
  },
  state: 'open',
  checked: null,
}
const RETRIES: Advice = {
  ...PAUSES,
  id: 'failing_command-1c',
  kind: 'failing_command',
  headline: 'npm run lint failed in nine sessions with the same error.',
  usd_per_month: 0.8,
  fix: null,
}

/** Suggestions, and a guard that let something pass. */
export const adviceAnswers = {
  'advice.list': (): OperationOutput<'advice.list'> => ({ items: [PAUSES, RETRIES] }),
  'guard.get': (): OperationOutput<'guard.get'> => ({
    enabled: true,
    action: 'hold',
    caps: [{ cap: 'day_usd', limit: 20 }],
    held: [],
    counts: { checked: 90, unpriced: 2, notified: 0, held: 0, allowed: 0, refused: 0 },
    in_flight: 1,
    lower_bound: { requests: 3, usd: 0.12, tokens: 4000 },
    passed: [{ reason: 'no_price', requests: 2, last_at: '2026-11-20T10:00:00.000Z', last_session_id: null }],
  }),
}
