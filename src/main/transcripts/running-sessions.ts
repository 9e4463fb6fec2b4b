import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { claudeFolders } from './claude-folders.ts'

/** A session whose client runs on this machine. */
export type RunningSession = Omit<OperationOutput<'transcripts.running'>['items'][number], 'captured'>

/** Reads the client's `sessions/<pid>.json` files. Files of processes that have ended are left out. */
export function runningSessions(
  env: { readonly [name: string]: string | undefined },
  home: string,
): readonly RunningSession[] {
  return claudeFolders(env, home)
    .flatMap((folder) => notesIn(join(folder, 'sessions')))
    .filter(({ pid }) => isAlive(pid))
}

function notesIn(folder: string): RunningSession[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .flatMap((name) => noteIn(join(folder, name)) ?? [])
  } catch {
    // Older clients do not write these files.
    return []
  }
}

function noteIn(path: string): RunningSession | null {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as { readonly [name: string]: unknown }
    const { pid, sessionId, cwd, startedAt, version } = note
    if (typeof pid !== 'number' || typeof sessionId !== 'string') return null
    return {
      session_id: sessionId,
      pid,
      project: typeof cwd === 'string' ? cwd : null,
      started_at: typeof startedAt === 'number' ? new Date(startedAt).toISOString() : null,
      version: typeof version === 'string' ? version : null,
    }
  } catch {
    // The file is gone or being written; the next call reads it.
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process is running but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
