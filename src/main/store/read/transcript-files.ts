import { RECORDED_LIVE } from '../log/log.ts'
import { existsSync } from 'node:fs'
import type { ImportCheckpoint } from '../log/import-checkpoint.ts'
import { hasTables, openReader } from '../database/connection.ts'

/** The state of a file when an import scanned it for its figures; `size` is -1 if the scan did not reach the end. */
export interface KnownPreview {
  readonly size: number
  readonly mtime_ms: number
}

/** The database's knowledge of transcript files, for the importer's thread, which has no reader. */
export type KnownTranscripts = ReturnType<typeof openKnownTranscripts>

/**
 * Opens the database for reading; nothing is known if it does not exist yet.
 * @throws AspyError store_unavailable, newer_database
 */
export function openKnownTranscripts(databasePath: string) {
  if (!existsSync(databasePath) || !hasTables(databasePath)) {
    return {
      all: () => new Map<string, ImportCheckpoint>(),
      find: () => undefined,
      previews: () => new Map<string, KnownPreview>(),
      hasPrompt: () => false,
      sessionOfLine: () => null,
      sessionOfAnswer: () => null,
      sessionsThatRepeat: () => [],
      isImportedAlone: () => true,
      deleted: () => [],
      close: () => undefined,
    }
  }
  const db = openReader(databasePath)
  const columns = 'path, identity, offset, size, mtime_ms'
  const all = db.prepare<[], ImportCheckpoint>(`SELECT ${columns} FROM transcript_files`)
  const find = db.prepare<[string], ImportCheckpoint>(`SELECT ${columns} FROM transcript_files WHERE path = ?`)
  const previews = db.prepare<[], KnownPreview & { readonly path: string }>(
    'SELECT path, CASE whole WHEN 1 THEN size ELSE -1 END AS size, mtime_ms FROM preview_files',
  )
  const prompt = db
    .prepare<[string, string, string], number>(
      'SELECT 1 FROM user_prompts WHERE timestamp BETWEEN ? AND ? AND content = ? LIMIT 1',
    )
    .pluck()
  const ofEvent = db.prepare<[string], string>('SELECT session_id FROM events WHERE uuid = ?').pluck()
  const ofKey = db
    .prepare<[string], string>('SELECT e.session_id FROM key_rows k JOIN events e ON e.id = k.event_id WHERE k.key = ?')
    .pluck()
  const repeating = db
    .prepare<[string], string>('SELECT session_id FROM session_links WHERE other_session_id = ?')
    .pluck()
  const deleted = db.prepare<[], string>('SELECT session_id FROM tombstones').pluck()
  const live = db.prepare<[string, string, string], number>(RECORDED_LIVE).pluck()
  return {
    /** Returns the position up to which each file was read, by path. */
    all: () => new Map<string, ImportCheckpoint>(all.all().map((row) => [row.path, row])),
    find: (path: string) => find.get(path),
    /** Returns the files whose figures are shown before they are imported, by path. */
    previews: () => new Map<string, KnownPreview>(previews.all().map((row) => [row.path, row])),
    /** Returns true if the log has a prompt with this text within `withinMs` of that moment. */
    hasPrompt(text: string, timestamp: string, withinMs: number): boolean {
      const at = Date.parse(timestamp)
      const moment = (time: number) => new Date(time).toISOString()
      return prompt.get(moment(at - withinMs), moment(at + withinMs), text) === 1
    },
    /** Returns the session of the event that is a transcript line or has its key; null if there is none. */
    sessionOfLine: (uuid: string) => ofEvent.get(uuid) ?? ofKey.get(`line:${uuid}`) ?? null,
    /** Returns the session to which an answer of the API belongs, by its id; null if it is not known. */
    sessionOfAnswer: (id: string) => ofKey.get(`usage:${id}`) ?? ofKey.get(`block:${id}:0`) ?? null,
    /** Returns the other sessions that repeat events of this one. */
    sessionsThatRepeat: (session: string) => repeating.all(session),
    /** True if only transcripts reported the session. */
    isImportedAlone: (session: string) => live.get(session, session, session) === undefined,
    /** Returns the sessions that were deleted for good. */
    deleted: () => deleted.all(),
    close: () => db.close(),
  }
}
