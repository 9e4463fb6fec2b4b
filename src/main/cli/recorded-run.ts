import { setTimeout as wait } from 'node:timers/promises'
import type { ClientEnd } from '../clients/claude-code/run-client.ts'
import { asTyped } from '../base/typed-command.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { isResumable, recordedResumeOf } from '../../shared/vendors.ts'
import { knownCost } from '../../shared/known-figures.ts'
import type { Session } from '../../shared/contract/sessions.ts'
import { overHttp } from './client.ts'
import { plain } from './table.ts'
import { counted } from '../../shared/counted.ts'
import { dollars } from '../session-page/figures.ts'
import { findApp } from './wake-app.ts'
import { type Unpriced } from '../../shared/spend.ts'
import { endSessions, followRunning, runningThere } from './ended-sessions.ts'
import { folderOption } from './folder-of-run.ts'
import { sayAside } from './wrap.ts'

/** How often, and after how many milliseconds, the record is read until it no longer changes. */
const [READS, PAUSE_MS] = [10, 100]

/** The part of an id that is enough for a command. Ids of other clients than Claude Code begin with their name. */
const BEGINNING = /^((?:[a-z]+-)?[0-9a-f]{8}).*/

/** A run shorter than this asked no model. */
const SHORT_MS = 1000

/**
 * Runs a client, and then says in one line on standard error what was recorded in this folder meanwhile, and how to see and
 * resume it. `run` is the command that started it, without `aspy`: `run` or `run --full`.
 */
export async function sayRecorded(
  dataDir: string,
  run: string,
  runClient: () => Promise<ClientEnd>,
): Promise<ClientEnd> {
  const since = new Date()
  const running = followRunning(() => runningThere(dataDir))
  const end = await runClient()
  const own = running.endedWith(end.pid)
  try {
    const line = recordedLine(await recordedSince(dataDir, since), run, folderOption(dataDir))
    // A terminal gets a command on each line, so that it can be copied whole.
    if (line !== null) sayAside(process.stderr.isTTY ? line.replaceAll('; ', ';\n  ') : line)
    await endSessions(dataDir, own)
  } catch (error) {
    sayAside(`aspy: what was recorded cannot be read: ${errorMessage(error)}`)
  }
  return end
}

/** Says what a run has recorded; null if that is nothing, as of `claude --version`. Its commands name a `folder`. */
export function recordedLine(
  sessions: readonly (Pick<Session, 'id' | 'prompts' | 'total_cost_usd' | 'total_tokens'> & Unpriced)[],
  run: string,
  folder = '',
): string | null {
  const [first] = sessions
  if (first === undefined) return null
  if (sessions.length > 1)
    return `aspy: recorded ${counted(sessions.length, 'session')}; see ${asTyped(`aspy sessions${folder}`)}`
  const cost = knownCost(first)
  const resume = isResumable(first.id) ? recordedResumeOf(first.id, run + folder) : null
  return [
    `aspy: recorded ${counted(first.prompts, 'prompt')} so far, ${cost === null ? 'cost unknown' : dollars(cost)}`,
    `see ${asTyped(`aspy session ${plain(first.id.replace(BEGINNING, '$1'))}${folder}`)}`,
    ...(resume === null ? [] : [`resume with ${asTyped(`aspy ${resume.join(' ')}`)}`]),
  ].join('; ')
}

/** Returns the sessions of this folder with prompts and an event since a moment. */
async function recordedSince(dataDir: string, since: Date): Promise<readonly Session[]> {
  const app = await findApp(dataDir)
  if (app === null) return []
  const read = async () => {
    const input = { active_since: since.toISOString(), project: process.cwd(), limit: 20 }
    const { items } = await overHttp(app, dataDir).call('sessions.list', input)
    return items.filter(({ prompts }) => prompts > 0)
  }
  let last = await read()
  // Nothing is waited for after `claude --version`. Else the end of the last answer may still be on its way to the store.
  if (last.length === 0 && Date.now() - since.getTime() < SHORT_MS) return last
  for (let reads = 1; reads < READS; reads += 1) {
    await wait(PAUSE_MS)
    const next = await read()
    if (next.length > 0 && JSON.stringify(next) === JSON.stringify(last)) return next
    last = next
  }
  return last
}
