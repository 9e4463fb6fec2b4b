import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { wasCaptured } from '../../store/read/captured.ts'
import { claudeFolders } from '../../transcripts/claude-folders.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

type Running = OperationOutput<'transcripts.running'>['items'][number]

/** Reads the client's `sessions/<pid>.json` files. Files of processes that have ended are left out. */
export const transcriptsRunning: ReaderHandler<'transcripts.running'> = (reader) => ({
  items: claudeFolders(process.env, homedir())
    .flatMap((folder) => notesIn(join(folder, 'sessions')))
    .filter(({ pid }) => isAlive(pid))
    .map((note) => ({ ...note, captured: wasCaptured(reader, note.session_id) })),
})

function notesIn(folder: string): Omit<Running, 'captured'>[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .flatMap((name) => noteIn(join(folder, name)) ?? [])
  } catch {
    // Older clients do not write these files.
    return []
  }
}

function noteIn(path: string): Omit<Running, 'captured'> | null {
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
