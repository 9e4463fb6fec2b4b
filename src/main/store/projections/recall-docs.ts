import { partsOf } from '../../recall/words.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../connection.ts'
import { contentReader } from '../contents.ts'
import { unpackPayload } from '../payload.ts'
import type { Projection } from './projection.ts'

/** Characters of a text that go into the index rows of its neighbours. */
const DIGEST_CHARACTERS = 400
/** Texts on either side whose digests a row holds. */
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
 * What can be recalled, in one index: each text with its identifiers taken apart, and with the digests of the texts around
 * it, since a question often names what stands next to the answer. A later text completes the rows of the two before it.
 */
export const recallDocs: Projection = {
  name: 'recall_docs',
  tables: ['recall_docs', 'recall_fts'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO recall_docs (id, event_uuid, session_id, turn_id, agent_id, match_type, timestamp, project, digest)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const index = prepare('INSERT INTO recall_fts (rowid, text, parts, near) VALUES (?, ?, ?, ?)')
    const unindex = prepare('DELETE FROM recall_fts WHERE rowid = ?')
    const columns = 'id, session_id, turn_id, agent_id, match_type, digest'
    const lane = 'session_id = ? AND agent_id IS ?'
    const get = prepare<[number], Neighbour>(`SELECT ${columns} FROM recall_docs WHERE id = ?`)
    const before = prepare<[string, string | null, number, number], Neighbour>(
      `SELECT ${columns} FROM recall_docs WHERE ${lane} AND id < ? ORDER BY id DESC LIMIT ?`,
    )
    const after = prepare<[string, string | null, number, number], Neighbour>(
      `SELECT ${columns} FROM recall_docs WHERE ${lane} AND id > ? ORDER BY id LIMIT ?`,
    )
    const firstOfTurn = prepare<[string, number], Neighbour>(
      `SELECT ${columns} FROM recall_docs WHERE session_id = ? AND turn_id = ? ORDER BY id LIMIT 1`,
    )
    const ofTurn = prepare<[string, number, number], Neighbour>(
      `SELECT ${columns} FROM recall_docs WHERE session_id = ? AND turn_id = ? AND id > ?`,
    )
    const payload = prepare<[number], { payload: string }>('SELECT payload FROM events WHERE id = ?')
    const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)
    const fresh = new Map<number, string>()

    /** The whole text of an earlier document, from the log: no other projection is asked. */
    function textOf(id: number): string {
      const row = payload.get(id)
      return row === undefined ? '' : textIn(unpackPayload(row.payload, fetch))
    }

    function nearOf(doc: Neighbour): string {
      const around = [
        ...before.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS).reverse(),
        ...after.all(doc.session_id, doc.agent_id, doc.id, NEIGHBOURS),
      ]
      const first = firstOfTurn.get(doc.session_id, doc.turn_id)
      if (first?.match_type === 'user_prompt' && first.id !== doc.id && !around.some(({ id }) => id === first.id)) {
        around.unshift(first)
      }
      return around.map(({ digest }) => digest).join('\n')
    }

    function write(doc: Neighbour, text: string, isNew: boolean): void {
      if (!isNew) unindex.run(doc.id)
      index.run(doc.id, text, partsOf(text), nearOf(doc))
    }

    return {
      apply(event) {
        const doc = docOf(event)
        if (doc === null) return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, project } = event
        insert.run(id, uuid, session_id, turn_id, agent_id, doc.type, ts_wall, project, digestOf(doc.text))
        fresh.set(id, doc.text)
      },
      flush() {
        const stale = new Map<number, Neighbour>()
        for (const id of fresh.keys()) {
          const doc = get.get(id)
          if (doc === undefined) continue
          stale.set(id, doc)
          for (const earlier of before.all(doc.session_id, doc.agent_id, id, NEIGHBOURS)) stale.set(earlier.id, earlier)
        }
        for (const [id, doc] of [...stale].sort(([a], [b]) => a - b)) {
          write(doc, fresh.get(id) ?? textOf(id), fresh.has(id))
        }
        fresh.clear()
      },
      reword({ id }) {
        const doc = get.get(id)
        if (doc === undefined) return
        const around = [
          ...before.all(doc.session_id, doc.agent_id, id, NEIGHBOURS),
          ...after.all(doc.session_id, doc.agent_id, id, NEIGHBOURS),
          ...(doc.match_type === 'user_prompt' ? ofTurn.all(doc.session_id, doc.turn_id, id) : []),
        ]
        for (const stale of new Map([doc, ...around].map((entry) => [entry.id, entry])).values())
          write(stale, textOf(stale.id), false)
      },
      discard: () => fresh.clear(),
    }
  },
}

function docOf(event: AnyEvent): { type: string; text: string } | null {
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
