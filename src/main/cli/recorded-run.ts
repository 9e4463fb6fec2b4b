import { setTimeout as wait } from 'node:timers/promises'
import type { ClientEnd } from '../clients/claude-code/run-client.ts'
import { asTyped } from '../base/typed-command.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { isResumable, recordedResumeOf } from '../../shared/vendors.ts'
import { knownCost } from '../../shared/known-figures.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import { overHttp } from './client.ts'
import { budgetNews } from './guard-caps.ts'
import { plain, shortIds } from './table.ts'
import { counted } from '../../shared/counted.ts'
import { dollars } from '../session-page/figures.ts'
import { findApp } from './wake-app.ts'
import { UNPRICED, unpricedOf } from '../../shared/spend.ts'
import { endSessions, followRunning, runningThere, type RunTraces } from './ended-sessions.ts'
import { folderOption } from '../base/folder-of-run.ts'
import { sayAside } from './wrap.ts'

/** How often, and after how many milliseconds, the record is read until it no longer changes. */
const [READS, PAUSE_MS] = [10, 100]

/** A run of a client and its name. */
interface NamedRun {
  readonly dataDir: string
  /** The command that started it, without `aspy`: `run` or `run --full`. */
  readonly command: string
  /** Its name, which the proxy or the tunnel knows. */
  readonly run: string
}

/**
 * Runs a client, and then says in one line on standard error what this run recorded, and how to see and resume it, and in
 * another which budget has reached a mark during it.
 */
export async function sayRecorded(
  { dataDir, command, run }: NamedRun,
  runClient: () => Promise<ClientEnd>,
): Promise<ClientEnd> {
  const since = new Date()
  const running = followRunning(() => runningThere(dataDir, run))
  const before = budgetsThere(dataDir).catch(() => [])
  const end = await runClient()
  const own = running.endedWith(end.pid)
  try {
    const { sessions, deleted } = await recordedBy(dataDir, { run, since, ...own })
    const line = recordedLine(sessions, command, folderOption(dataDir))
    for (const id of deleted) sayAside(`aspy: nothing was recorded of session ${plain(id)}, because you deleted it`)
    // A terminal gets a command on each line, so that it can be copied whole.
    if (line !== null) sayAside(process.stderr.isTTY ? line.replaceAll('; ', ';\n  ') : line)
    for (const news of budgetNews(await budgetsThere(dataDir), await before)) sayAside(`aspy: ${news}`)
    await endSessions(dataDir, own.sessions)
  } catch (error) {
    sayAside(`aspy: what was recorded cannot be read: ${errorMessage(error)}`)
  }
  return end
}

async function budgetsThere(dataDir: string): Promise<readonly BudgetStatus[]> {
  const app = await findApp(dataDir)
  return app === null ? [] : (await overHttp(app, dataDir).call('budgets.status', {})).items
}

type RunSession = OperationOutput<'runs.sessions'>['items'][number]

/** Says what a run has recorded; null if that is nothing, as of `claude --version`. Its commands name a `folder`. */
export function recordedLine(sessions: readonly RunSession[], run: string, folder = ''): string | null {
  const [first] = sessions
  if (first === undefined) return null
  const cost = costText(sessions)
  if (sessions.length > 1)
    return `aspy: recorded ${counted(sessions.length, 'session')}, ${cost}; see ${asTyped(`aspy sessions${folder}`)}`
  const resume = isResumable(first.id) ? recordedResumeOf(first.id, run + folder) : null
  return [
    `aspy: recorded ${counted(first.prompts, 'prompt')} so far, ${cost}`,
    `see ${asTyped(`aspy session ${plain(shortIds([first.id]).join(''))}${folder}`)}`,
    ...(resume === null ? [] : [`resume with ${asTyped(`aspy ${resume.join(' ')}`)}`]),
  ].join('; ')
}

/** Says what a run cost: of a session that it resumed, that is not all. */
function costText(sessions: readonly RunSession[]): string {
  const sum = (of: (session: RunSession) => number) => sessions.reduce((all, session) => all + of(session), 0)
  const refused = sum((session) => session.refused)
  const cost = knownCost({
    total_tokens: sum((session) => session.total_tokens),
    total_cost_usd: sum((session) => session.total_cost_usd),
    [UNPRICED]: sum(unpricedOf),
    refused,
  })
  const whole = sum((session) => session.session_cost_usd)
  return [
    cost === null ? 'cost unknown' : dollars(cost),
    ...(cost !== null && dollars(whole) !== dollars(cost) ? [` of ${dollars(whole)} in all`] : []),
    ...(refused === 0 ? [] : [`, ${counted(refused, 'request')} refused by a cap`]),
  ].join('')
}

interface OwnTraces extends RunTraces {
  readonly run: string
  readonly since: Date
}

interface Recorded {
  readonly sessions: readonly RunSession[]
  /** Those of which nothing is recorded, because they were deleted. */
  readonly deleted: readonly string[]
}

/** Returns the sessions of a run that have prompts of it, and those that were deleted. */
async function recordedBy(dataDir: string, own: OwnTraces): Promise<Recorded> {
  const app = await findApp(dataDir)
  if (app === null) return { sessions: [], deleted: [] }
  const client = overHttp(app, dataDir)
  const read = async (): Promise<Recorded> => {
    const { items: known, deleted = [] } = await client.call('runs.exchanges', { run: own.run })
    const exchanges = [...new Set([...own.exchanges, ...known])]
    const input = { exchanges, sessions: [...own.sessions], began_at: own.since.toISOString() }
    const { items } = await client.call('runs.sessions', input)
    hasAsked ||= exchanges.length + own.sessions.length > 0
    return { sessions: items.filter(({ prompts, total_tokens: tokens }) => prompts > 0 || tokens > 0), deleted }
  }
  let hasAsked = false
  let last = await read()
  // Nothing is waited for after `claude --version`. Else the end of the last answer may still be on its way to the store.
  if (!hasAsked) return last
  for (let reads = 1; reads < READS; reads += 1) {
    await wait(PAUSE_MS)
    const next = await read()
    if (next.sessions.length + next.deleted.length > 0 && JSON.stringify(next) === JSON.stringify(last)) return next
    last = next
  }
  return last
}
