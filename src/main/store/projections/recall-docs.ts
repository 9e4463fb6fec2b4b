import type { AnyEvent } from '../../../shared/event.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { indexedText, partsOf } from '../../base/words.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isTakenBack } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { unpackPayload } from '../log/payload.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'
import { nearText, NEIGHBOURS, RecallNeighbours, type RecallDoc } from './recall-neighbours.ts'
import { digestOf, textInPayload, typedRecallText } from './recall-text.ts'

/**
 * Texts for recall, in one index: each text with its identifiers split, and with digests of the texts around it, since
 * a question often names words next to the answer. A later text completes the rows of the two before it.
 */
export const recallDocs: Projection = {
  name: 'recall_docs',
  define: (t, own) => [
    `CREATE VIRTUAL TABLE ${t.recall_fts} USING fts5 (text, parts, near, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')`,
    `CREATE TRIGGER ${own('recall_docs_ad')} AFTER DELETE ON ${t.recall_docs} BEGIN DELETE FROM ${t.recall_fts} WHERE rowid = old.id; END`,
  ],
  open: (context) => new RecallDocs(context),
}

/** A document of the current transaction. */
interface Added {
  readonly doc: RecallDoc
  readonly text: string
  /** Parts of the text; null if not computed yet. */
  readonly parts: string | null
}

interface IndexRow {
  readonly id: number
  readonly text: string
  readonly parts: string
  readonly near: string
  readonly isNew: boolean
}

/** A document of a lane. Its text and parts are only known if it was written recently. */
type KnownDoc = Pick<Added, 'doc'> & Partial<Added>

/** Lanes whose last documents stay in memory. */
const LANES_KEPT = 100
/** Longer texts are read from the log again. */
const MAX_KEPT_CHARACTERS = 8192

class RecallDocs implements OpenProjection {
  readonly #neighbours: RecallNeighbours
  readonly #preparedParts: ProjectionContext['preparedParts']
  readonly #payload
  readonly #fetch
  readonly #insert
  readonly #remove
  readonly #index
  readonly #unindex
  /** Documents of this transaction in the order of the log. */
  #added: Added[] = []
  /** The last documents of lanes: a later text writes their index rows again. */
  readonly #lastOf = new RecentlyUsed<string, readonly KnownDoc[]>(LANES_KEPT)

  constructor({ prepare, tables: t, preparedParts }: ProjectionContext) {
    this.#neighbours = new RecallNeighbours(prepare, t.recall_docs)
    this.#preparedParts = preparedParts
    this.#payload = prepare<[number], { payload: string }>('SELECT payload FROM events WHERE id = ?')
    this.#fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)
    this.#insert = prepare(
      `INSERT INTO ${t.recall_docs} (id, session_id, turn_id, agent_id, match_type, timestamp, project, digest)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#remove = prepare<[number]>(`DELETE FROM ${t.recall_docs} WHERE id = ?`)
    this.#index = prepare(`INSERT INTO ${t.recall_fts} (rowid, text, parts, near) VALUES (?, ?, ?, ?)`)
    this.#unindex = prepare(`DELETE FROM ${t.recall_fts} WHERE rowid = ?`)
  }

  apply(event: AnyEvent): void {
    const found = typedRecallText(event)
    if (found === null) return
    const { type, text } = found
    const { id, session_id, turn_id, agent_id, ts_wall, project } = event
    const digest = digestOf(text)
    this.#insert.run(id, session_id, turn_id, agent_id, type, ts_wall, project, digest)
    const doc = { id, session_id, turn_id, agent_id, match_type: type, digest }
    this.#added.push({ doc, text, parts: this.#preparedParts(event.payload) })
  }

  flush(): void {
    if (this.#added.length === 0) return
    const prompts = new Map<string, RecallDoc | undefined>()
    const first = (doc: RecallDoc) => {
      const key = `${doc.turn_id} ${doc.session_id}`
      if (!prompts.has(key)) prompts.set(key, this.#neighbours.firstOfTurn(doc))
      return prompts.get(key)
    }
    const rows = [...lanesOf(this.#added)].flatMap(([name, lane]) => [...this.#rowsOfLane(name, lane, first)])
    for (const row of rows.sort((a, b) => a.id - b.id)) this.#write(row)
    this.#added = []
  }

  reword({ id }: { readonly id: number }): void {
    const doc = this.#neighbours.find(id)
    if (doc === undefined) return
    this.#lastOf.clear()
    for (const stale of [doc, ...this.#neighbours.containing(doc)]) this.#rewrite(stale)
  }

  applySighting(...[event, sighting]: Parameters<NonNullable<OpenProjection['applySighting']>>): void {
    if (event.kind !== 'user_prompt' || !isTakenBack([sighting])) return
    const doc = this.#neighbours.find(event.id)
    if (doc === undefined) return
    const pending = this.#added.findIndex((one) => one.doc.id === event.id)
    const around = this.#neighbours.containing(doc)
    this.#lastOf.clear()
    if (pending >= 0) this.#added.splice(pending, 1)
    this.#remove.run(event.id)
    // No index row contains a document that was just added.
    if (pending >= 0) return
    for (const stale of around) if (!this.#added.some((one) => one.doc.id === stale.id)) this.#rewrite(stale)
  }

  discard(): void {
    this.#added = []
    this.#lastOf.clear()
  }

  /** Yields index rows of one lane's new documents, and of the two before them, which are their neighbours. */
  *#rowsOfLane(name: string, lane: readonly Added[], first: (doc: RecallDoc) => RecallDoc | undefined) {
    const start = lane[0]?.doc
    if (start === undefined) return
    // The rows before need their own neighbours, too.
    const earlier =
      this.#lastOf.get(name) ?? this.#neighbours.before(start, 2 * NEIGHBOURS).map((doc): KnownDoc => ({ doc }))
    const all: KnownDoc[] = [...earlier, ...lane]
    for (let at = Math.max(0, earlier.length - NEIGHBOURS); at < all.length; at += 1) {
      const doc = all[at]?.doc ?? start
      const text = all[at]?.text ?? this.#textOf(doc.id)
      const parts = all[at]?.parts ?? partsOf(text)
      all[at] = text.length > MAX_KEPT_CHARACTERS ? { doc } : { doc, text, parts }
      const around = [...all.slice(Math.max(0, at - NEIGHBOURS), at), ...all.slice(at + 1, at + 1 + NEIGHBOURS)]
      const near = nearText(
        doc,
        around.map((other) => other.doc),
        first(doc),
      )
      yield { id: doc.id, text, parts, near, isNew: at >= earlier.length }
    }
    const last = all.slice(-2 * NEIGHBOURS)
    this.#lastOf.set(
      name,
      last.map((known, at) => (at < last.length - NEIGHBOURS ? { doc: known.doc } : known)),
    )
  }

  /** Writes the index row of a stored document again. */
  #rewrite(doc: RecallDoc): void {
    const near = nearText(doc, this.#neighbours.around(doc), this.#neighbours.firstOfTurn(doc))
    const text = this.#textOf(doc.id)
    this.#write({ id: doc.id, text, parts: partsOf(text), near, isNew: false })
  }

  #write({ id, text, parts, near, isNew }: IndexRow): void {
    if (!isNew) this.#unindex.run(id)
    this.#index.run(id, indexedText(text), parts, indexedText(near))
  }

  /** Returns the whole text of an earlier document from the log, so that no other projection is needed. */
  #textOf(id: number): string {
    const row = this.#payload.get(id)
    return row === undefined ? '' : textInPayload(unpackPayload(row.payload, this.#fetch))
  }
}

/** Groups documents by session and agent. */
function lanesOf(added: readonly Added[]): ReadonlyMap<string, readonly Added[]> {
  return Map.groupBy(added, ({ doc }) => JSON.stringify([doc.session_id, doc.agent_id]))
}
