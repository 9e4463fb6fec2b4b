import { MEMORY_TEXT } from './people.ts'
import { TEXT_TABLES } from './quotations.ts'
import type { Reader } from './reader.ts'
import { withWholeParts } from './tool-text-parts.ts'

/** Types of documents for recall; tool traffic has its own index. */
export type DocType = 'thinking' | 'user_prompt' | 'assistant_response' | 'compaction'

export interface RecallDocRow {
  readonly id: number
  readonly event_uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  /** memory: a fact written by a person, all other fields come from its event; episode: a session's summary, under its own id. */
  readonly match_type: DocType | 'tool' | 'memory' | 'episode'
  readonly timestamp: string
  readonly project: string | null
}

/** A document without the uuid of its event, which costs a row of the log to read. */
export type FoundDoc = Omit<RecallDocRow, 'event_uuid'>

const FOUND_COLUMNS = 'd.id, d.session_id, d.turn_id, d.agent_id, d.match_type, d.timestamp, d.project'
const DOC_COLUMNS = `${FOUND_COLUMNS}, (SELECT e.uuid FROM events e WHERE e.id = d.id) AS event_uuid`

/** Returns documents by id; those of tool traffic are read from the log. */
export function findDocs(reader: Reader, ids: readonly number[]): Map<number, FoundDoc> {
  const rows = reader.all<FoundDoc>(
    `SELECT ${FOUND_COLUMNS} FROM recall_docs d WHERE d.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const others = ids.filter((id) => !found.has(id))
  if (others.length === 0) return found
  const tools = reader.all<FoundDoc>(
    `SELECT id, session_id, turn_id, agent_id, 'tool' AS match_type, ts_wall AS timestamp, project
     FROM events WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(others),
  )
  for (const row of tools) found.set(row.id, row)
  return found
}

/** Adds the uuids of their events to documents of the log, in the same order. */
export function withUuids(reader: Reader, docs: readonly FoundDoc[]): RecallDocRow[] {
  const rows = reader.all<{ id: number; uuid: string }>(
    'SELECT id, uuid FROM events WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(docs.map(({ id }) => id)),
  )
  const uuids = new Map(rows.map(({ id, uuid }) => [id, uuid]))
  return docs.flatMap((doc) => {
    const uuid = uuids.get(doc.id)
    return uuid === undefined ? [] : [{ ...doc, event_uuid: uuid }]
  })
}

/** Returns documents by id with the uuids of their events. */
export function docsById(reader: Reader, ids: readonly number[]): Map<number, RecallDocRow> {
  const docs = withUuids(reader, [...findDocs(reader, ids).values()])
  return new Map(docs.map((doc) => [doc.id, doc]))
}

const MEMORY = `SELECT ${MEMORY_TEXT} AS content FROM memories m WHERE m.event_uuid = (SELECT uuid FROM events WHERE id = ?)`

/** Returns the text of a document; of long tool traffic its beginning and its end. */
export function textOf(reader: Reader, doc: Pick<RecallDocRow, 'id' | 'match_type'>): string {
  const sql = doc.match_type === 'memory' ? MEMORY : `SELECT content FROM ${TEXT_TABLES[doc.match_type]} WHERE id = ?`
  const text = reader.get<{ content: string }>(sql, doc.id)?.content ?? ''
  return doc.match_type === 'tool' ? withWholeParts(text) : text
}

/** Returns the texts around a document in its session and agent, oldest first, including itself. */
export function docsAround(reader: Reader, doc: RecallDocRow, each: number): RecallDocRow[] {
  const lane = `d.session_id = ? AND d.agent_id IS ?`
  const before = reader.all<RecallDocRow>(
    `SELECT ${DOC_COLUMNS} FROM recall_docs d WHERE ${lane} AND d.id < ? ORDER BY d.id DESC LIMIT ?`,
    doc.session_id,
    doc.agent_id,
    doc.id,
    each,
  )
  const after = reader.all<RecallDocRow>(
    `SELECT ${DOC_COLUMNS} FROM recall_docs d WHERE ${lane} AND d.id > ? ORDER BY d.id LIMIT ?`,
    doc.session_id,
    doc.agent_id,
    doc.id,
    each,
  )
  return [...before.reverse(), doc, ...after]
}

/** Returns all documents of a turn in the order of the log. */
export function docsOfTurn(reader: Reader, sessionId: string, turnId: number): RecallDocRow[] {
  return reader.all<RecallDocRow>(
    `SELECT ${DOC_COLUMNS} FROM recall_docs d WHERE d.session_id = ? AND d.turn_id = ? ORDER BY d.id LIMIT 1000`,
    sessionId,
    turnId,
  )
}

/** Returns the ids of texts that are of a turn or a moment of one of the given texts. */
export function docsBeside(reader: Reader, ids: readonly number[]): number[] {
  const given = 'SELECT d.id FROM json_each(?) g JOIN recall_docs o ON o.id = g.value JOIN recall_docs d'
  const rows = reader.all<{ id: number }>(
    `${given} ON d.session_id = o.session_id AND d.turn_id = o.turn_id UNION ${given} ON d.timestamp = o.timestamp`,
    JSON.stringify(ids),
    JSON.stringify(ids),
  )
  return rows.map(({ id }) => id)
}

/** The beginning of the first text of a turn: its prompt, as a rule. */
export type Opening = Pick<Neighbour, 'id' | 'digest'>

/** Returns the first text of a document's turn. */
export function openingOf(reader: Reader, doc: Pick<RecallDocRow, 'session_id' | 'turn_id'>): Opening | undefined {
  return reader.get<Opening>(
    'SELECT id, digest FROM recall_docs WHERE session_id = ? AND turn_id = ? ORDER BY id LIMIT 1',
    doc.session_id,
    doc.turn_id,
  )
}

/** Returns the beginnings of texts by id; tool traffic has none. */
export function digestsOf(reader: Reader, ids: readonly number[]): Map<number, string> {
  const rows = reader.all<{ id: number; digest: string }>(
    'SELECT id, digest FROM recall_docs WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

/** Returns one document by the uuid of its event. */
export function docByUuid(reader: Reader, uuid: string): RecallDocRow | undefined {
  const event = reader.get<{ id: number }>('SELECT id FROM events WHERE uuid = ?', uuid)
  return event === undefined ? undefined : docsById(reader, [event.id]).get(event.id)
}

/** The beginning of a text near a document. */
export interface Neighbour {
  readonly id: number
  /** Distance in texts: negative before the document, positive after it. */
  readonly distance: number
  readonly digest: string
}

/** Returns the texts before and after a document in its session and agent. */
export function neighboursOf(reader: Reader, doc: FoundDoc, each: number): Neighbour[] {
  const lane = [doc.session_id, doc.agent_id, doc.id, each] as const
  const before = reader.all<{ id: number; digest: string }>(
    'SELECT id, digest FROM recall_docs WHERE session_id = ? AND agent_id IS ? AND id < ? ORDER BY id DESC LIMIT ?',
    ...lane,
  )
  const after = reader.all<{ id: number; digest: string }>(
    'SELECT id, digest FROM recall_docs WHERE session_id = ? AND agent_id IS ? AND id > ? ORDER BY id LIMIT ?',
    ...lane,
  )
  return [
    ...before.map((row, at) => ({ ...row, distance: -at - 1 })),
    ...after.map((row, at) => ({ ...row, distance: at + 1 })),
  ]
}
