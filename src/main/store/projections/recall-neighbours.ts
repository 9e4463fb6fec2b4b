import type { ProjectionContext } from './projection.ts'

/** Texts on either side whose digests an index row contains. */
export const NEIGHBOURS = 2

/** A row of `recall_docs`, as its neighbours need it. */
export interface RecallDoc {
  readonly id: number
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly match_type: string
  readonly digest: string
}

const COLUMNS = 'id, session_id, turn_id, agent_id, match_type, digest'
/** A lane is a session's main conversation or one of its agents. */
const IN_LANE = 'session_id = ? AND agent_id IS ?'

/** Finds the documents around a document: in its lane, and in its turn. */
export class RecallNeighbours {
  readonly #get
  readonly #before
  readonly #after
  readonly #firstOfTurn
  readonly #laterInTurn

  /** `table`: the name of `recall_docs`, which differs during a rebuild. */
  constructor(prepare: ProjectionContext['prepare'], table: string) {
    type Lane = [session: string, agent: string | null, id: number, limit: number]
    this.#get = prepare<[number], RecallDoc>(`SELECT ${COLUMNS} FROM ${table} WHERE id = ?`)
    this.#before = prepare<Lane, RecallDoc>(
      `SELECT ${COLUMNS} FROM ${table} WHERE ${IN_LANE} AND id < ? ORDER BY id DESC LIMIT ?`,
    )
    this.#after = prepare<Lane, RecallDoc>(
      `SELECT ${COLUMNS} FROM ${table} WHERE ${IN_LANE} AND id > ? ORDER BY id LIMIT ?`,
    )
    this.#firstOfTurn = prepare<[string, number], RecallDoc>(
      `SELECT ${COLUMNS} FROM ${table} WHERE session_id = ? AND turn_id = ? ORDER BY id LIMIT 1`,
    )
    this.#laterInTurn = prepare<[string, number, number], RecallDoc>(
      `SELECT ${COLUMNS} FROM ${table} WHERE session_id = ? AND turn_id = ? AND id > ?`,
    )
  }

  /** Returns undefined if the event has no text for recall. */
  find(id: number): RecallDoc | undefined {
    return this.#get.get(id)
  }

  firstOfTurn({ session_id, turn_id }: RecallDoc): RecallDoc | undefined {
    return this.#firstOfTurn.get(session_id, turn_id)
  }

  /** Returns up to `count` documents before this one in its lane, oldest first. */
  before({ session_id, agent_id, id }: RecallDoc, count: number): readonly RecallDoc[] {
    return this.#before.all(session_id, agent_id, id, count).reverse()
  }

  /** Returns the neighbours of a document in its lane, oldest first. */
  around(doc: RecallDoc): readonly RecallDoc[] {
    return [...this.before(doc, NEIGHBOURS), ...this.#after.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS)]
  }

  /** Returns the documents whose index rows contain this document's digest. */
  containing(doc: RecallDoc): readonly RecallDoc[] {
    const isPrompt = doc.match_type === 'user_prompt'
    const inTurn = isPrompt ? this.#laterInTurn.all(doc.session_id, doc.turn_id, doc.id) : []
    return [...new Map([...this.around(doc), ...inTurn].map((entry) => [entry.id, entry])).values()]
  }
}

/** Joins the digests around a document, preceded by its turn's prompt if that is farther away. */
export function nearText(doc: RecallDoc, around: readonly RecallDoc[], first: RecallDoc | undefined): string {
  const isFar = first?.match_type === 'user_prompt' && first.id !== doc.id && !around.some(({ id }) => id === first.id)
  return [...(isFar && first ? [first] : []), ...around].map(({ digest }) => digest).join('\n')
}
