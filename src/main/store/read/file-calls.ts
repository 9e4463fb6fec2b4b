import { AspyError } from '../../../shared/contract/errors.ts'
import type { Json, JsonObject } from '../../../shared/json.ts'
import type { FileSeen } from '../../../shared/seen-file.ts'
import { stringOf } from '../../../shared/json-fields.ts'
import { outputText } from '../../decode/tool-result.ts'
import { concernsPath, pathsOf, stepsOf, type CallEvent } from '../../files/file-history.ts'
import { joinedPath } from '../../files/joined-path.ts'
import { namesOf, type OtherName } from '../../files/other-names.ts'
import { withFolders } from '../../files/shell-folders.ts'
import { nameAlone, touchesOf } from '../../files/touched-paths.ts'
import type { EventRow } from '../log/log.ts'
import { touchKey, type Touched } from '../projections/file-touches.ts'
import { RULES_NOTED, PROJECTION_RULES } from '../rebuild/due-rebuild.ts'
import { EVENT_COLUMNS, eventsOf } from './events.ts'
import type { Reader } from './reader.ts'

/** A tool call that may have touched a file, with what is known of its result. */
export interface FileCall extends CallEvent {
  /** Its place in the log. */
  readonly id: number
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  /** When its result came, or the call if there is none. */
  readonly timestamp: string
  readonly source: string
  readonly seen: readonly FileSeen[]
  /** When it began, if the disk was looked at then. */
  readonly began: string | null
}

/** Bounds the calls that are read, the newest first. */
const MAX_CALLS = 20_000
const CALLS_AT_ONCE = 500
/** A file may have had that many names. */
const MAX_NAMES = 50

/** Returns the calls that touched a file under any of its names, or may have done so, oldest first. */
export function fileCalls(
  reader: Reader,
  path: string,
  others: readonly OtherName[] = [],
): { readonly calls: FileCall[]; readonly isCut: boolean } {
  const inPlace = (calls: readonly FileCall[]) =>
    inOrder(others.length === 0 ? calls : calls.map((call) => ({ ...call, others })))
  let names: ReadonlySet<string> = new Set([path])
  // After an update, the index of paths is filled beside live traffic.
  const isDue = reader.get<{ value: string }>(RULES_NOTED)?.value !== String(PROJECTION_RULES)
  for (;;) {
    const found = newestFirst(reader, keysOfPaths(new Set([...names].flatMap((name) => namesOf(name, others)))))
    const touching = inPlace([...found, ...moves(reader, found)])
    const after = pathsOf(touching.flatMap(stepsOf), path)
    // Calls that name only an earlier name were not read yet.
    if (after.size > names.size && names.size < MAX_NAMES) {
      names = new Set([...names, ...after])
      continue
    }
    const sessions = new Set(namesOf(path, others).flatMap((name) => sessionsAround(reader, name)))
    for (const call of touching) if (isAbout(call, after)) sessions.add(call.session_id)
    const own = touching.filter(
      (call) => sessions.has(call.session_id) && stepsOf(call).some((step) => concernsPath(step, after)),
    )
    const from = own[0]?.timestamp
    const elsewhere = from === undefined ? [] : othersOf(reader, [...sessions], from)
    return {
      // The same call may be among both.
      calls: inOrder([...elsewhere, ...own]),
      isCut: isDue || found.isCut || elsewhere.length >= MAX_CALLS,
    }
  }
}

/** Returns the calls of a session that may have touched files, oldest first, and the folder that it began in. */
export function callsOfSession(reader: Reader, session: string) {
  const found = reader.get<{ project: string | null }>('SELECT project FROM sessions WHERE id = ?', session)
  if (found === undefined) throw new AspyError('not_found', `there is no session ${session}`)
  const rows = reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND e.kind = 'tool_call'
       AND EXISTS (SELECT 1 FROM file_touches f WHERE f.event_id = e.id) AND aspy_in_time()
     ORDER BY e.ts_wall DESC, e.id DESC LIMIT ${MAX_CALLS}`,
    session,
  )
  const calls: FileCall[] = []
  for (let at = 0; at < rows.length; at += CALLS_AT_ONCE)
    calls.push(...withResults(reader, rows.slice(at, at + CALLS_AT_ONCE)))
  return {
    folder: found.project === null ? null : joinedPath(null, found.project),
    calls: inOrder(calls),
    isCut: rows.isCut === true || rows.length === MAX_CALLS,
  }
}

/** Returns whether a call touches one of these files, or names it by its whole path. */
const isAbout = (call: FileCall, paths: ReadonlySet<string>): boolean =>
  stepsOf(call).some((step) => step.path !== null && concernsPath(step, paths)) ||
  touchesOf(call.toolName, call.input).paths.some((path) => paths.has(path))

const keysOf = (touched: Touched, of: Iterable<string>): number[] => Array.from(of, (one) => touchKey(touched, one))

/** A folder above may be removed or moved with what is in it. */
function keysOfPaths(paths: ReadonlySet<string>): readonly number[] {
  const above = [...paths].flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, at) => parts.slice(0, at + 1).join('/')).filter((each) => each !== '')
  })
  return keysOf('path', new Set([...above, ...above.map(nameAlone)]))
}

/** Calls come one by one, by time; those that ended at the same time in the order in which they began. */
function inOrder(calls: readonly FileCall[]): FileCall[] {
  const once = new Map(calls.map((call) => [call.uuid, call]))
  const sorted = [...once.values()].sort((a, b) => order(a.timestamp, b.timestamp) || a.id - b.id)
  return withFolders(sorted.map((call, at) => apart(call, sorted[at - 1], sorted[at + 1])))
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Returns the calls that a key leads to, or their results. */
function newestFirst(reader: Reader, keys: readonly number[]): FileCall[] & { readonly isCut: boolean } {
  const found = reader.all<{ id: number }>(
    `SELECT DISTINCT f.event_id AS id FROM json_each(?) k CROSS JOIN file_touches f ON f.key = k.value ORDER BY 1 DESC LIMIT ${MAX_CALLS}`,
    JSON.stringify(keys),
  )
  const rows = reader.inTime<EventRow>(
    `SELECT DISTINCT ${EVENT_COLUMNS} FROM json_each(?) k CROSS JOIN events x ON x.id = k.value
     LEFT JOIN tool_result_rows r ON x.kind = 'tool_result' AND r.event_id = x.id
     LEFT JOIN tool_call_rows c ON c.call_id = r.call_id
     CROSS JOIN events e ON e.id = CASE x.kind WHEN 'tool_result' THEN c.event_id
       WHEN 'file_seen' THEN (SELECT p.id FROM events p WHERE p.uuid = x.parent_uuid) ELSE x.id END WHERE aspy_in_time()`,
    JSON.stringify(found.map(({ id }) => id)),
  )
  const calls: FileCall[] = []
  for (let at = 0; at < rows.length; at += CALLS_AT_ONCE)
    calls.push(...withResults(reader, rows.slice(at, at + CALLS_AT_ONCE)))
  return Object.assign(calls, { isCut: rows.isCut === true || found.length === MAX_CALLS })
}

/** Returns the commands that lead other commands of these calls' sessions to another folder. */
function moves(reader: Reader, calls: readonly FileCall[]): readonly FileCall[] {
  const sessions = calls.filter((call) => call.toolName === 'Bash' && call.source !== 'transcript')
  return newestFirst(reader, keysOf('moves', new Set(sessions.map(({ session_id: id }) => id))))
}

/** Returns the folders in which sessions began. */
export const projectsOf = (reader: Reader): readonly string[] =>
  reader
    .all<{ project: string }>('SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL')
    .flatMap(({ project }) => joinedPath(null, project) ?? [])

function sessionsAround(reader: Reader, path: string): readonly string[] {
  return reader
    .all<{ id: string }>(
      `SELECT id FROM sessions WHERE project IS NOT NULL
         AND substr(?, 1, length(project) + 1) = rtrim(replace(project, '\\', '/'), '/') || '/'`,
      path,
    )
    .map(({ id }) => id)
}

/** Returns the calls of sessions that may have written any file. What they did, nobody knows, so it is not read. */
function othersOf(reader: Reader, sessions: readonly string[], from: string): FileCall[] {
  type Unread = Pick<
    FileCall,
    'id' | 'uuid' | 'session_id' | 'turn_id' | 'agent_id' | 'source' | 'toolName' | 'timestamp'
  >
  // Those that ended before have no such call.
  const later = reader.all<{ id: string }>(
    'SELECT s.id FROM json_each(?) k CROSS JOIN sessions s ON s.id = k.value WHERE s.last_event_at >= ?',
    JSON.stringify(sessions),
    from,
  )
  const ids = later.map(({ id }) => id)
  const rows = reader.all<Unread>(
    `SELECT e.id, e.uuid, e.session_id, e.turn_id, e.agent_id, e.source, o.toolName, o.timestamp FROM (
       SELECT f.event_id AS id, c.call_id, c.tool_name AS toolName,
         coalesce((SELECT min(r.timestamp) FROM tool_result_rows r WHERE r.call_id = c.call_id), c.timestamp) AS timestamp
       FROM json_each(?) k CROSS JOIN file_touches f ON f.key = k.value CROSS JOIN tool_call_rows c ON c.event_id = f.event_id
       ORDER BY f.event_id DESC LIMIT ${MAX_CALLS}) o CROSS JOIN events e ON e.id = o.id
     WHERE o.timestamp >= ? AND NOT EXISTS (SELECT 1 FROM tool_result_rows r WHERE r.call_id = o.call_id AND r.rejected = 1)`,
    JSON.stringify(keysOf('any', ids)),
    from,
  )
  const unread = { input: null, output: '', detail: undefined, isSuccess: null, isRejected: false, folder: null }
  const seenOf = seenAround(
    reader,
    'no_other',
    rows.map(({ uuid }) => uuid),
  )
  return [
    ...rows.map((row) => ({ ...row, ...unread, ...seenOf(row.uuid) })),
    ...newestFirst(reader, keysOf('failed', ids)),
  ]
}

function withResults(reader: Reader, rows: readonly EventRow[]): FileCall[] {
  const toCall = eventsOf(reader, rows)
  const calls = rows.map((row) => toCall(row))
  const ids = calls.map(({ payload }) => (payload as JsonObject)['call_id'])
  const results = reader.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM json_each(?) c CROSS JOIN tool_result_rows r ON r.call_id = c.value
     CROSS JOIN events e ON e.id = r.event_id ORDER BY e.id DESC`,
    JSON.stringify(ids),
  )
  const toResult = eventsOf(reader, results)
  const byCall = new Map(
    results.map((row) => toResult(row)).map((event) => [(event.payload as JsonObject)['call_id'], event]),
  )
  const seenOf = seenAround(
    reader,
    'seen',
    calls.map(({ uuid }) => uuid),
  )
  return calls.map((call, at) => {
    const result = byCall.get(ids[at])
    const asked = call.payload as JsonObject
    const told = (result?.payload ?? {}) as JsonObject
    const isOwn = call.kind === 'state_change'
    return {
      id: call.id,
      uuid: call.uuid,
      session_id: call.session_id,
      turn_id: call.turn_id,
      agent_id: call.agent_id,
      source: call.source,
      timestamp: result?.ts_wall ?? call.ts_wall,
      toolName: stringOf(asked[isOwn ? 'name' : 'tool_name']) ?? '',
      input: asked[isOwn ? 'to' : 'input'] ?? null,
      output: outputText((told['output'] ?? null) as Json),
      detail: told['detail'],
      isSuccess: result === undefined ? null : told['is_error'] !== true && result.success !== false,
      isRejected: told['rejected'] === true,
      folder: call.project,
      ...seenOf(call.uuid),
    }
  })
}

/** Returns what looks at the disk found around calls, by the uuid of each: all of it, or only that there was no other. */
function seenAround(reader: Reader, touched: 'seen' | 'no_other', calls: readonly string[]) {
  const hasAny = reader.get("SELECT 1 FROM events WHERE kind = 'file_seen' LIMIT 1") !== undefined
  const rows = !hasAny
    ? []
    : reader.all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM json_each(?) k CROSS JOIN file_touches f ON f.key = k.value
         CROSS JOIN events e ON e.id = f.event_id AND e.kind = 'file_seen' ORDER BY e.id`,
        JSON.stringify(keysOf(touched, calls)),
      )
  const toEvent = eventsOf(reader, rows)
  const found = Map.groupBy(
    rows.map((row) => toEvent(row)),
    (event) => event.parent_uuid,
  )
  return (call: string): Pick<FileCall, 'seen' | 'began'> => {
    const events = (found.get(call) ?? []).map((event) => ({ ...event, payload: event.payload as unknown as FileSeen }))
    const began = events.find(({ payload }) => payload.at === 'before')?.ts_wall ?? null
    return { seen: events.map(({ payload }) => payload), began }
  }
}

/** Nobody knows which of two calls that ran at the same time made a change. */
function apart(call: FileCall, before: FileCall | undefined, after: FileCall | undefined): FileCall {
  if (call.began === null) return call
  const isAlone =
    (before === undefined || before.timestamp <= call.began) &&
    (after === undefined || after.began === null || after.began >= call.timestamp)
  return isAlone ? call : { ...call, seen: call.seen.map((each) => ({ ...each, is_sure: false })) }
}
