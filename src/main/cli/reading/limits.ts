import { limitUsesTable } from '../../../shared/columns/limits.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { percent, plain, table, when } from '../table.ts'

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

/** Sessions and prompts shown of each window. `--json` has more. */
const SHOWN = 5

/** Writes each account's limits, who used them, and the forecast. */
export const limitsText = ({ windows }: OperationOutput<'limits.now'>): string =>
  windows.length === 0
    ? 'No limits. The API reports them for subscriptions, with each answer that passes through the proxy.'
    : windows.map(windowText).join('\n\n')

/** Names a window, its account if there are several, and in a team the member. */
const nameOf = ({ user, account, window }: LimitWindow): string =>
  [user, account, window].flatMap((part) => (part === undefined ? [] : [plain(part)])).join(', ')

function windowText(window: LimitWindow): string {
  const { forecast: made, forecast_checks: checks } = window
  const lines = [
    `${nameOf(window)}: ${stateOf(window)} (read ${when(window.read_at)})`,
    ...(window.burn_per_hour === null ? [] : [`Rate: ${percent(window.burn_per_hour)} an hour`]),
    ...(made === null
      ? window.burn_per_hour === null || window.resets_at === null
        ? []
        : ['At reset: too early to tell']
      : [
          `At reset: ${percent(made.at_reset)} (${percent(made.low)} to ${percent(made.high)}, nine times in ten` +
            `${checks.checks === 0 ? ', not checked yet' : `; computed in hindsight, ${checks.hits} of ${checks.checks} held`})`,
          ...(made.exhausted_at === null ? [] : [`Exhausted ${when(made.exhausted_at)} at this rate`]),
        ]),
    ...(window.covered_share === null ? [] : [`Recorded calls explain ${percent(window.covered_share)} of the usage`]),
    ...window.gaps.map(plain),
  ]
  const sessions = window.by_session.slice(0, SHOWN).map((row) => ({ ...row, title: row.title ?? row.session_id }))
  const prompts = window.by_prompt
    .slice(0, SHOWN)
    .map((row) => ({ ...row, title: row.prompt ?? `turn ${row.turn_id}` }))
  return window.by_session.length === 0
    ? lines.join('\n')
    : [
        ...lines,
        table(sessions, limitUsesTable, {}, { title: 'Session' }),
        table(prompts, limitUsesTable, {}, { title: 'Prompt' }),
      ].join('\n')
}

/** A window that has ended has no reset, and neither has one whose reset the API did not report. */
function stateOf({ used, resets_at: resetsAt }: LimitWindow): string {
  if (resetsAt !== null) return `${percent(used)} used, resets ${when(resetsAt)}`
  return used === 0 ? 'nothing used since its last reset' : `${percent(used)} used, reset not reported`
}
