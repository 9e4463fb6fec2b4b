import type { Session } from '../contract/sessions.ts'
import { formatFailures } from '../failures.ts'
import { countedFigure, knownCost, knownTokens } from '../known-figures.ts'
import { clientLabel } from '../vendors.ts'
import { tableOf } from './column.ts'
import { UNPRICED, unpricedOf } from '../spend.ts'

const NO_PROMPT = 'No prompt'

/** Names a session without a title: one that ended before its first prompt, or another. */
export const untitled = ({ prompts }: Pick<Session, 'prompts'>): string =>
  prompts === 0 ? NO_PROMPT : 'Untitled session'

/** Sessions, as `sessions.list` returns them. */
export const sessionsTable = tableOf<Session>()({
  columns: {
    session: { name: 'Session', of: (row) => row.title ?? untitled(row) },
    id: { name: 'Session' },
    title: { name: 'Title', of: (row) => row.title ?? (row.prompts === 0 ? NO_PROMPT : row.project) },
    user_id: { name: 'Member', only: 'team', width: 7, from: 1000 },
    started_at: { name: 'Started', format: 'moment', sort: 'started' },
    last_event_at: {
      name: 'Last activity',
      format: 'moment',
      align: 'right',
      sort: 'last_activity',
      hint: 'Most recently active first',
      width: 8.5,
      from: 560,
    },
    active_ms: {
      name: 'Active time',
      of: (row) => countedFigure(row, 'active_ms'),
      format: 'duration',
      sort: 'active',
      hint: 'Longest active time first',
      title: () => 'Time with activity',
      width: 6.2,
      from: 1000,
    },
    prompts: { name: 'Prompts', format: 'count', width: 4.2, from: 1000 },
    failures: {
      name: 'Failures',
      of: formatFailures,
      align: 'right',
      tone: 'bad',
      sort: 'failures',
      hint: 'Most API errors and failed tool calls first',
      title: () => 'API errors and failed tool calls',
      width: 6.8,
      from: 760,
    },
    tokens: {
      name: 'Tokens',
      of: knownTokens,
      format: 'count',
      sort: 'tokens',
      hint: 'Most tokens first',
      width: 4.2,
      from: 1200,
    },
    cost: {
      name: 'Cost',
      of: knownCost,
      format: 'money',
      unpriced: unpricedOf,
      sort: 'cost',
      hint: 'Most expensive first',
      title: () => 'API list price',
      width: 4.5,
    },
    client: { name: 'Client', of: (row) => clientLabel(row.client), from: 760 },
    own_tags: { name: 'Tags', from: 1200, only: 'filled' },
  },
  window: ['session', 'user_id', 'last_event_at', 'active_ms', 'failures', 'tokens', 'cost'],
  terminal: ['title', 'user_id', 'id', 'started_at', 'prompts', 'tokens', 'cost', 'failures', 'client', 'own_tags'],
  file: [
    'id',
    'title',
    'project',
    'git_branch',
    'started_at',
    'ended_at',
    'active_ms',
    'prompts',
    'tool_calls',
    'errors',
    'api_errors',
    'failed_tools',
    'client',
    'client_version',
    'total_tokens',
    'total_cost_usd',
    UNPRICED,
    'starred',
    'own_tags',
  ],
})
