import { recallSearch } from '../../../src/shared/contract/recall.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { runSearch } from '../../../src/main/operations/reader/recall.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { questionIn } from '../../../src/main/recall/question.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { docByUuid, textOf } from '../../../src/main/store/read/recall-docs.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** A text of a judged set. */
export interface RecallDocument {
  readonly id: string
  readonly session: string
  readonly time: string
  readonly kind: string
  readonly text: string
}

/** A query and the documents that answer it. */
export interface JudgedQuery {
  readonly query: string
  readonly expected: readonly string[]
  readonly kind?: string
}

export interface Judged {
  readonly query: JudgedQuery
  /** Rank of the first correct answer, from 1; null if not in the first ten. */
  readonly place: number | null
  /** Rank of the first text of a turn that has a correct answer. */
  readonly turnPlace: number | null
  /** Rank of the first text of a session that has a correct answer. */
  readonly sessionPlace: number | null
  readonly first: string | null
  readonly ms: number
}

/** A store filled with a judged set. */
export interface LoadedRecall extends Disposable {
  readonly reader: Reader
  /** The set contains tool traffic, which is searched on request. */
  readonly hasTools: boolean
}

const TOOL = /tool|bash|command|function/i

/** Records documents as events, in order of time in each session, and indexes them as usual. */
export function loadDocuments(dataDir: string, documents: readonly RecallDocument[]): LoadedRecall {
  const sessions = Map.groupBy(documents, (document) => document.session)
  const drafts = [...sessions.values()].flatMap((own) => {
    let prompt: string | null = null
    return own
      .map((document) => ({ ...document, time: new Date(document.time).toISOString() }))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
      .map((document) => {
        const draft = toDraft(document, prompt)
        if (draft.kind === 'user_prompt') prompt = draft.keys[0] ?? null
        return draft
      })
  })
  const db = openReader(fillStore(dataDir, drafts, 200))
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  const hasTools = documents.some(({ kind }) => TOOL.test(kind))
  return { reader: createReader(db, budget), hasTools, [Symbol.dispose]: () => db.close() }
}

function toDraft(document: RecallDocument, prompt: string | null): AnyDraft {
  const { id, session, time, text, kind } = document
  const key = `line:${id}`
  const more = { at: time, session_id: session, uuid: id, keys: [key], parents: prompt === null ? [] : [prompt] }
  if (/think|reason|thought/i.test(kind)) {
    return draftOf('thinking', { text, signature_only: false, message_id: id, index: 0 }, more)
  }
  if (/compact|summary/i.test(kind)) {
    return draftOf('compaction', { trigger: 'auto', summary: text, tokens_before: null, tokens_after: null }, more)
  }
  if (TOOL.test(kind) && /result|output/i.test(kind)) {
    const payload = { call_id: id, tool_name: null, output: text, is_error: false, rejected: false }
    return draftOf('tool_result', payload, more)
  }
  if (TOOL.test(kind)) {
    return draftOf('tool_call', { call_id: id, tool_name: 'Tool', input: { text }, message_id: null, index: 0 }, more)
  }
  if (/assist|answer|response|^ai$|bot|model/i.test(kind)) {
    return draftOf('assistant_text', { text, message_id: id, index: 0 }, more)
  }
  return draftOf('user_prompt', { text }, { ...more, parents: [] })
}

/** Runs one query as an API caller would and finds the rank of the first correct answer. */
export function judge({ reader, hasTools }: LoadedRecall, query: JudgedQuery, tools = true): Judged {
  const input = recallSearch.input.parse({ query: query.query, limit: 10, tools: tools && hasTools })
  const begun = performance.now()
  reader.budget.begin(1, 2000)
  const { items } = readerHandlers['recall.search'](reader, input)
  const ms = performance.now() - begun
  const rankOf = (at: number) => (at < 0 ? null : at + 1)
  const expected = query.expected.flatMap((uuid) => docByUuid(reader, uuid) ?? [])
  const turns = new Set(expected.map(turnKey))
  const sessions = new Set(expected.map(({ session_id }) => session_id))
  const place = rankOf(items.findIndex(({ uuid }) => query.expected.includes(uuid)))
  const turnPlace = rankOf(items.findIndex((item) => turns.has(turnKey(item))))
  const sessionPlace = rankOf(items.findIndex(({ session_id }) => sessions.has(session_id ?? '')))
  return { query, place, turnPlace, sessionPlace, first: items[0]?.uuid ?? null, ms }
}

/** Returns the best hundred hits of a query with their scores and texts, for a ranking made elsewhere. */
export function hitsOf({ reader, hasTools }: LoadedRecall, query: JudgedQuery): object {
  const input = recallSearch.input.parse({ query: query.query, limit: 100, tools: hasTools })
  reader.budget.begin(1, 5000)
  const { ranked } = runSearch(reader, input, input.limit)
  const hits = ranked.map(({ doc, score }) => ({
    id: doc.event_uuid,
    score,
    text: textOf(reader, doc).slice(0, 20_000),
  }))
  return { ...query, question: questionIn(query.query) !== null, hits }
}

const turnKey = (at: { readonly session_id: string | null; readonly turn_id: number | null }): string =>
  `${at.session_id} ${at.turn_id}`
