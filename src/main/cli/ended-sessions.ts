import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { overHttp, type Client } from './client.ts'
import { findApp } from './wake-app.ts'

/** When the clients' notes of their sessions are read, in ms: a client deletes its note when it exits. Later, less often. */
const LOOK_MS = 1000
const OFTEN = 10
const LATER = 10

/** What is known of a run: its captured requests, and the sessions that its process had. */
export interface RunTraces {
  readonly exchanges: readonly string[]
  readonly sessions: readonly string[]
}

interface Running {
  readonly sessions: readonly { readonly session_id: string; readonly pid: number }[]
  readonly exchanges: readonly string[]
}

/**
 * Follows which process has which sessions, by the clients' own notes, and what an app captured of a run: another app may
 * take its place. A client may begin other sessions, as with `/clear`.
 */
export function followRunning(
  read: () => Promise<Running>,
  lookMs = LOOK_MS,
): { endedWith(pid: number | undefined): RunTraces } {
  const processes = new Map<string, number>()
  const captured = new Set<string>()
  const ended = new AbortController()
  void follow()
  return {
    endedWith(pid) {
      ended.abort()
      const sessions = [...processes].flatMap(([id, owner]) => (owner === pid ? [id] : []))
      return { sessions, exchanges: [...captured] }
    },
  }

  async function follow(): Promise<void> {
    try {
      for (let looks = 0; ; looks += 1) {
        await pause(looks < OFTEN ? lookMs : lookMs * LATER, undefined, { signal: ended.signal, ref: false })
        const { sessions, exchanges } = await read()
        for (const { session_id, pid } of sessions) processes.set(session_id, pid)
        for (const exchange of exchanges) captured.add(exchange)
      }
    } catch {
      // The client or the app has ended: what is known so far is all.
    }
  }
}

/** Returns the sessions that run on this machine and the requests of a run, as the app of a folder knows them. */
export async function runningThere(dataDir: string, run: string): Promise<Running> {
  const app = await findApp(dataDir)
  if (app === null) return { sessions: [], exchanges: [] }
  const client = overHttp(app, dataDir)
  const [sessions, exchanges] = await Promise.all([
    client.call('transcripts.running', {}),
    client.call('runs.exchanges', { run }),
  ])
  return { sessions: sessions.items, exchanges: exchanges.items }
}

/** Records the end of sessions whose client has ended, where no hook has. */
export async function endSessions(dataDir: string, sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return
  const app = await findApp(dataDir)
  if (app !== null) await recordEnds(overHttp(app, dataDir), sessions)
}

/** Records the end of each session that is known and has none. */
export async function recordEnds(client: Pick<Client, 'call'>, sessions: readonly string[]): Promise<void> {
  for (const session_id of sessions) {
    try {
      const { ended_at } = await client.call('sessions.get', { session_id })
      if (ended_at !== null) continue
      await client.call('events.post', { session_id, kind: 'session_ended', payload: { reason: 'exit' } })
    } catch (error) {
      // The client has recorded nothing.
      if (!(error instanceof AspyError && error.code === 'not_found')) throw error
    }
  }
}
