import { partsOf } from '../../base/words.ts'
import type { EventKind, Payloads } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isTakenBack } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { unpackPayload } from '../log/payload.ts'
import type { Projection, ProjectionContext } from './projection.ts'

/** Characters of a text that are copied to the index rows of its neighbours. */
const DIGEST_CHARACTERS = 400
/** Texts on either side whose digests a row contains. */
const NEIGHBOURS = 2

interface Neighbour {
  readonly id: number
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly match_type: string
  readonly digest: string
}

/**
 * Texts for recall, in one index: each text with its identifiers split, and with digests of the texts around it, since a
 * question often names what is next to the answer. A later text completes the rows of the two before it.
 */
export const recallDocs: Projection = {
  name: 'recall_docs',
  define: (t, own) => [
    `CREATE TABLE ${t.recall_docs} (
  id         INTEGER PRIMARY KEY,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  match_type TEXT    NOT NULL CHECK (match_type IN ('thinking', 'user_prompt', 'assistant_response', 'compaction')),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  digest     TEXT    NOT NULL -- the beginning of the text, for the index rows of its neighbours
) STRICT`,
    `CREATE VIRTUAL TABLE ${t.recall_fts} USING fts5 (text, parts, near, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')`,
    `CREATE INDEX ${own('recall_docs_by_lane')} ON ${t.recall_docs} (session_id, agent_id, id)`,
    `CREATE INDEX ${own('recall_docs_by_turn')} ON ${t.recall_docs} (session_id, turn_id, id)`,
    `CREATE INDEX ${own('recall_docs_by_time')} ON ${t.recall_docs} (timestamp, id)`,
    `CREATE TRIGGER ${own('recall_docs_ad')} AFTER DELETE ON ${t.recall_docs} BEGIN DELETE FROM ${t.recall_fts} WHERE rowid = old.id; END`,
  ],
  open({ prepare, tables: t, preparedParts }) {
    const insert = prepare(
      `INSERT INTO ${t.recall_docs} (id, session_id, turn_id, agent_id, match_type, timestamp, project, digest)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const index = prepare(`INSERT INTO ${t.recall_fts} (rowid, text, parts, near) VALUES (?, ?, ?, ?)`)
    const remove = prepare<[number]>(`DELETE FROM ${t.recall_docs} WHERE id = ?`)
    const unindex = prepare(`DELETE FROM ${t.recall_fts} WHERE rowid = ?`)
    const { get, before, after, firstOfTurn, ofTurn } = neighbourReader(prepare, t.recall_docs)
    /** Documents of this transaction in the order of the log. */
    let added: Added[] = []
    const payload = prepare<[number], { payload: string }>('SELECT payload FROM events WHERE id = ?')
    const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)

    /** Returns the whole text of an earlier document from the log, so that no other projection is needed. */
    function textOf(id: number): string {
      const row = payload.get(id)
      return row === undefined ? '' : textIn(unpackPayload(row.payload, fetch))
    }

    function nearOf(doc: Neighbour): string {
      const around = [
        ...before.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS).reverse(),
        ...after.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS),
      ]
      return nearText(doc, around, firstOfTurn.get(doc.session_id, doc.turn_id))
    }

    /** Returns the documents whose index rows contain a document's digest. */
    function neighboursOf(doc: Neighbour): readonly Neighbour[] {
      const around = [
        ...before.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS),
        ...after.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS),
        ...(doc.match_type === 'user_prompt' ? ofTurn.all(doc.session_id, doc.turn_id, doc.id) : []),
      ]
      return [...new Map(around.map((entry) => [entry.id, entry])).values()]
    }

    /** Yields index rows of one lane's new documents, and of the two before them, which are their neighbours. */
    function* rowsOfLane(
      lane: readonly Added[],
      first: (doc: Neighbour) => Neighbour | undefined,
    ): Generator<IndexRow> {
      const start = lane[0]?.doc
      if (start === undefined) return
      // The rows before need their own neighbours, too.
      const earlier = before.all(start.session_id, start.agent_id, start.id, 2 * NEIGHBOURS).reverse()
      const all: readonly (Pick<Added, 'doc'> & Partial<Added>)[] = [...earlier.map((doc) => ({ doc })), ...lane]
      for (let at = Math.max(0, earlier.length - NEIGHBOURS); at < all.length; at += 1) {
        const one = all[at]
        if (one === undefined) continue
        const { doc, text, parts } = one
        const around = [...all.slice(Math.max(0, at - NEIGHBOURS), at), ...all.slice(at + 1, at + 1 + NEIGHBOURS)]
        const near = nearText(
          doc,
          around.map((other) => other.doc),
          first(doc),
        )
        yield { id: doc.id, text: text ?? textOf(doc.id), parts: parts ?? null, near, isNew: text !== undefined }
      }
    }

    function write({ id, text, parts, near, isNew }: IndexRow): void {
      if (!isNew) unindex.run(id)
      index.run(id, text, parts ?? partsOf(text), near)
    }

    return {
      apply(event) {
        const doc = docOf(event)
        if (doc === null) return
        const { id, session_id, turn_id, agent_id, ts_wall, project } = event
        const digest = digestOf(doc.text)
        insert.run(id, session_id, turn_id, agent_id, doc.type, ts_wall, project, digest)
        added.push({
          doc: { id, session_id, turn_id, agent_id, match_type: doc.type, digest },
          text: doc.text,
          parts: preparedParts(event.payload),
        })
      },
      flush() {
        if (added.length === 0) return
        const prompts = new Map<string, Neighbour | undefined>()
        const first = ({ session_id, turn_id }: Neighbour) => {
          const key = `${turn_id} ${session_id}`
          if (!prompts.has(key)) prompts.set(key, firstOfTurn.get(session_id, turn_id))
          return prompts.get(key)
        }
        const rows = lanesOf(added).flatMap((lane) => [...rowsOfLane(lane, first)])
        for (const row of rows.sort((a, b) => a.id - b.id)) write(row)
        added = []
      },
      reword({ id }) {
        const doc = get.get(id)
        if (doc === undefined) return
        for (const stale of [doc, ...neighboursOf(doc)])
          write({ id: stale.id, text: textOf(stale.id), parts: null, near: nearOf(stale), isNew: false })
      },
      applySighting(event, sighting) {
        if (event.kind !== 'user_prompt' || !isTakenBack([sighting])) return
        const pending = added.findIndex(({ doc }) => doc.id === event.id)
        const doc = get.get(event.id)
        if (doc === undefined) return
        const around = neighboursOf(doc)
        if (pending >= 0) added.splice(pending, 1)
        remove.run(event.id)
        // A row that was just added is in nobody's index yet.
        if (pending >= 0) return
        for (const stale of around)
          if (!added.some((one) => one.doc.id === stale.id))
            write({ id: stale.id, text: textOf(stale.id), parts: null, near: nearOf(stale), isNew: false })
      },
      discard() {
        added = []
      },
    }
  },
}

/** Reads documents and their neighbours. */
function neighbourReader(prepare: ProjectionContext['prepare'], table: string) {
  const columns = 'id, session_id, turn_id, agent_id, match_type, digest'
  const lane = 'session_id = ? AND agent_id IS ?'
  const get = prepare<[number], Neighbour>(`SELECT ${columns} FROM ${table} WHERE id = ?`)
  const before = prepare<[string, string | null, number, number], Neighbour>(
    `SELECT ${columns} FROM ${table} WHERE ${lane} AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  const after = prepare<[string, string | null, number, number], Neighbour>(
    `SELECT ${columns} FROM ${table} WHERE ${lane} AND id > ? ORDER BY id LIMIT ?`,
  )
  const firstOfTurn = prepare<[string, number], Neighbour>(
    `SELECT ${columns} FROM ${table} WHERE session_id = ? AND turn_id = ? ORDER BY id LIMIT 1`,
  )
  const ofTurn = prepare<[string, number, number], Neighbour>(
    `SELECT ${columns} FROM ${table} WHERE session_id = ? AND turn_id = ? AND id > ?`,
  )
  return { get, before, after, firstOfTurn, ofTurn }
}

interface Added {
  readonly doc: Neighbour
  readonly text: string
  /** Parts of the text; null if not computed yet. */
  readonly parts: string | null
}

interface IndexRow {
  readonly id: number
  readonly text: string
  readonly parts: string | null
  readonly near: string
  readonly isNew: boolean
}

/** Groups documents by session and agent. */
function lanesOf(added: readonly Added[]): readonly (readonly Added[])[] {
  const lanes = new Map<string, Added[]>()
  for (const one of added) {
    const key = JSON.stringify([one.doc.session_id, one.doc.agent_id])
    const lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, [one])
    else lane.push(one)
  }
  return [...lanes.values()]
}

/** Joins the digests around a document, preceded by its turn's prompt if that is farther away. */
function nearText(doc: Neighbour, around: readonly Neighbour[], first: Neighbour | undefined): string {
  const isFar = first?.match_type === 'user_prompt' && first.id !== doc.id && !around.some(({ id }) => id === first.id)
  return [...(isFar && first ? [first] : []), ...around].map(({ digest }) => digest).join('\n')
}

/** Returns the text for recall of an event or its draft; '' if there is none. */
export const recallText = (event: Indexable): string => docOf(event)?.text ?? ''

/** The fields of an event that its draft has, too. */
type Indexable = { [Kind in EventKind]: { readonly kind: Kind; readonly payload: Payloads[Kind] } }[EventKind]

function docOf(event: Indexable): { type: string; text: string } | null {
  switch (event.kind) {
    case 'user_prompt':
      return text('user_prompt', event.payload.text)
    case 'thinking':
      return text('thinking', event.payload.text)
    case 'assistant_text':
      return text('assistant_response', event.payload.text)
    case 'compaction':
      return text('compaction', event.payload.summary)
    default:
      return null
  }
}

const text = (type: string, text: string) => (text === '' ? null : { type, text })

function textIn(payload: { readonly [key: string]: unknown }): string {
  const text = payload['text'] ?? payload['summary']
  return typeof text === 'string' ? text : ''
}

function digestOf(text: string): string {
  return text.length <= DIGEST_CHARACTERS ? text : text.slice(0, DIGEST_CHARACTERS).toWellFormed()
}
