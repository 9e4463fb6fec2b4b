import type { Passed } from '../keeper/protocol.ts'
import { commandFix, textFix, type Warning } from './warning.ts'
import { localTime } from '../base/local-time.ts'
import { counted } from '../../shared/counted.ts'
import { lasted } from '../../shared/lasted.ts'

/** What an app knows of the keeper that started it. */
export interface KeeperFacts {
  /** False once the keeper has died. */
  readonly isKept: boolean
  /** What passed unrecorded while no app served; null if it is not known yet. */
  readonly passed: Passed | null
  /** When another app should have taken its place and did not start; null: never. */
  readonly notReplacedAt: number | null
}

/** Warns of what passed unrecorded, of an app that has lost its keeper, and of one whose update does not start. */
export function keeperWarnings({ isKept, passed, notReplacedAt }: KeeperFacts): Warning[] {
  const lost: Warning = {
    code: 'keeper_lost',
    message:
      'The process that keeps the ports has ended. The app serves them itself: if it ends, clients have no proxy.',
    fix: textFix('Once no client runs, stop Aspy with aspy stop and start it again.'),
    isSevere: false,
  }
  const stays: Warning = {
    code: 'not_replaced',
    message: `This app goes on, because the one that should take its place did not start (${localTime(notReplacedAt ?? 0)}).`,
    fix: commandFix('Install a version that starts, then run aspy restart.', 'aspy restart'),
    isSevere: false,
  }
  return [
    ...(isKept ? [] : [lost]),
    ...(notReplacedAt === null ? [] : [stays]),
    ...(passed === null ? [] : unrecorded(passed)),
  ]
}

/** Sessions that are asked for; what passed of others counts. */
const MOST_ASKED = 50

/** Returns what passed, without the sessions that a transcript has filled since. `marksOf`: null if it is not known. */
export async function unfilled(
  passed: Passed | null,
  marksOf: (session: string) => Promise<readonly string[] | null>,
): Promise<Passed | null> {
  if (passed === null) return null
  const { requests, hooksOf = {}, hooks = 0, tunnels } = passed
  const named = [...new Set([...Object.keys(requests), ...Object.keys(hooksOf)])].filter((session) => session !== '')
  const marks = await Promise.all(named.slice(0, MOST_ASKED).map(marksOf))
  const filled = new Set(named.filter((_, at) => marks[at]?.length === 0))
  const left = Object.fromEntries(Object.entries(requests).filter(([session]) => !filled.has(session)))
  const hooksLeft = [...filled].reduce((sum, session) => sum - (hooksOf[session] ?? 0), hooks)
  const isNone = Object.keys(left).length === 0 && tunnels === 0 && hooksLeft === 0
  return { ...passed, requests: left, hooks: hooksLeft, ...(isNone ? { from: null, to: null } : {}) }
}

function unrecorded({ requests, tunnels, hooks = 0, from, to }: Passed): Warning[] {
  if (from === null || to === null) return []
  const sessions = Object.keys(requests).filter((session) => session !== '').length
  const count = Object.values(requests).reduce((sum, each) => sum + each, 0)
  const parts = [
    ...(count === 0 ? [] : [`${counted(count, 'request')} of ${counted(sessions, 'session')}`]),
    ...(tunnels === 0 ? [] : [`${tunnels} connections to an API in full mode`]),
    ...(hooks === 0 ? [] : [counted(hooks, 'hook')]),
  ]
  const span = `${localTime(from)} to ${localTime(to)}, ${lasted(to - from)}`
  return [
    {
      code: 'unrecorded',
      message: `While the app was down (${span}), ${parts.join(' and ')} passed unrecorded.`,
      fix: commandFix('Import the transcripts of these sessions with aspy import.', 'aspy import'),
      isSevere: false,
    },
  ]
}
