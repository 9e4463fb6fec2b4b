import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { overHttp, type Client } from './client.ts'
import { findApp } from './wake-app.ts'

/** When the clients' notes of their sessions are read, in ms: a client deletes its note when it exits. Later, less often. */
const LOOK_MS = 1000
const OFTEN = 10
const LATER = 10

/** Follows which process has which sessions, by the clients' own notes. A client may begin others, as with `/clear`. */
export function followRunning(
  read: () => Promise<readonly { readonly session_id: string; readonly pid: number }[]>,
  lookMs = LOOK_MS,
): { endedWith(pid: number | undefined): readonly string[] } {
  const processes = new Map<string, number>()
  const ended = new AbortController()
  void follow()
  return {
    endedWith(pid) {
      ended.abort()
      return [...processes].flatMap(([id, owner]) => (owner === pid ? [id] : []))
    },
  }

  async function follow(): Promise<void> {
    try {
      for (let looks = 0; ; looks += 1) {
        await pause(looks < OFTEN ? lookMs : lookMs * LATER, undefined, { signal: ended.signal, ref: false })
        for (const { session_id, pid } of await read()) processes.set(session_id, pid)
      }
    } catch {
      // The client or the app has ended: what is known so far is all.
    }
  }
}

/** Returns the sessions that run on this machine, as the app of a folder knows them. */
export async function runningThere(dataDir: string): Promise<OperationOutput<'transcripts.running'>['items']> {
  const app = await findApp(dataDir)
  return app === null ? [] : (await overHttp(app, dataDir).call('transcripts.running', {})).items
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
