import { join } from 'node:path'
import { parseJson } from '../../../json-access.ts'
import { isObject, numberOf, stringOf } from '../../../../../shared/json-fields.ts'
import type { RunningNote, TranscriptDisk } from '../../transcript-client.ts'

/** The client's notes are shorter. */
const MAX_NOTE_BYTES = 64 * 1024

/** Reads the client's `sessions/<pid>.json` files. Older clients do not write them. */
export function runningIn(home: string, disk: TranscriptDisk): readonly RunningNote[] {
  const folder = join(home, 'sessions')
  return disk
    .namesIn(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => noteIn(disk.head(join(folder, name), MAX_NOTE_BYTES)) ?? [])
}

/** Returns null for a file that was deleted or is being written; the next call reads it. */
function noteIn(text: string | null): RunningNote | null {
  const note = text === null ? null : parseJson(text)
  if (!isObject(note)) return null
  const [pid, session, startedAt] = [numberOf(note['pid']), stringOf(note['sessionId']), numberOf(note['startedAt'])]
  if (pid === null || session === null) return null
  const started = startedAt === null ? null : new Date(startedAt)
  return {
    session_id: session,
    pid,
    project: stringOf(note['cwd']),
    started_at: started === null || Number.isNaN(started.getTime()) ? null : started.toISOString(),
    version: stringOf(note['version']),
  }
}
