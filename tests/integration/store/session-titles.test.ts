import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { createResponseDecoder } from '../../../src/main/decode/wire/anthropic-messages/response.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { streamedPieces } from '../../support/upstream/messages-answer.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

/** Returns the answer to the client's own request for a title. */
function titleAnswer(title: string): readonly AnyDraft[] {
  const exchange = {
    exchange: 'e1',
    method: 'POST',
    path: '/v1/messages',
    headers: [],
    wall: 1_790_000_001_000,
    at: 5,
  }
  const decoder = createResponseDecoder(exchange, {
    requestKind: 'side_call',
    model: 'claude-haiku-5-5',
    sessionId: 's1',
    agentId: null,
    project: null,
    account: null,
    tail: [],
    headers: [],
    status: 200,
    responseHeaders: [['content-type', 'text/event-stream']],
    responseAt: 6,
    hash: plainHash,
  })
  for (const piece of streamedPieces({ steps: [{ text: JSON.stringify({ title }) }] }, 'claude-haiku-5-5'))
    if (piece.kind === 'event')
      decoder.push(Buffer.from(`event: ${piece.type}\ndata: ${JSON.stringify(piece.data)}\n\n`), 7)
  return decoder.end('complete', 8, null)
}

function linesOf(...lines: readonly object[]): readonly AnyDraft[] {
  const decoder = createTranscriptDecoder({ hash: plainHash })
  const common = { sessionId: 's1', timestamp: '2026-09-21T14:00:00.000Z' }
  const drafts = lines.flatMap((line) => decoder.line(JSON.stringify({ ...common, ...line })))
  return [...drafts, ...decoder.end()]
}

function storeOf(...parts: readonly (readonly AnyDraft[])[]) {
  const { store, folder, dbPath } = openTestStore()
  for (const drafts of parts) store.ingest.append(drafts)
  store.close()
  const db = openReader(join(folder, 'lifestats.db'))
  onTestFinished(() => void db.close())
  return {
    dbPath,
    session: readerHandlers['sessions.get'](createReader(db, createBudget(new Int32Array(1))), { session_id: 's1' }),
  }
}

const changesIn = (dbPath: string) =>
  readStore(dbPath, (db) => db.prepare("SELECT count(*) FROM events WHERE kind = 'state_change'").pluck().get())

const PROMPT = { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Mend the lock, please.' } }
const AI_TITLE = { type: 'ai-title', aiTitle: 'Mend the lock' }

test('a title reaches its session from the wire, from the transcript, or from both, as one fact', () => {
  const wire = titleAnswer('Mend the lock')
  const transcript = linesOf(PROMPT, AI_TITLE, AI_TITLE)
  for (const parts of [[linesOf(PROMPT), wire], [transcript], [wire, transcript], [transcript, wire]]) {
    const { dbPath, session } = storeOf(...parts)
    expect(session.title).toBe('Mend the lock')
    expect(changesIn(dbPath)).toBe(1)
  }
})

test('a title that was replaced and comes back is the session’s title again', () => {
  const named = (...titles: readonly string[]) => titles.map((customTitle) => ({ type: 'custom-title', customTitle }))
  const lines = linesOf(PROMPT, ...named('Lock', 'Door', 'Door', 'Lock', 'Lock'))
  for (const parts of [[lines], [lines, lines]]) {
    const { dbPath, session } = storeOf(...parts)
    expect(session.title).toBe('Lock')
    expect(changesIn(dbPath)).toBe(3)
  }
})

test('a name that was given before the known one and is read after it is not the title', () => {
  const named = (customTitle: string, minute: number) =>
    linesOf(PROMPT, { type: 'custom-title', customTitle, timestamp: `2026-09-21T14:0${minute}:00.000Z` })
  expect(storeOf(named('Door', 1), named('Lock', 0)).session.title).toBe('Door')
})

test('a summary that is written again after another one is the title', () => {
  const answer = (uuid: string) => ({
    type: 'assistant',
    uuid,
    message: { id: `m-${uuid}`, model: 'claude-sonnet-4-5', content: [{ type: 'text', text: `Done ${uuid}.` }] },
  })
  const summary = (leafUuid: string, text: string) => ({ type: 'summary', leafUuid, summary: text })
  const lines = [answer('a1'), answer('a2'), answer('a3')]
  const titles = [summary('a1', 'The lock'), summary('a2', 'The door'), summary('a3', 'The lock')]
  expect(storeOf(linesOf(PROMPT, ...lines, ...titles)).session.title).toBe('The lock')
})

test('a title that a person set in the client stays; the session has its tags and pull requests', () => {
  const { session } = storeOf(
    linesOf(
      PROMPT,
      { type: 'custom-title', customTitle: 'The lock' },
      AI_TITLE,
      { type: 'tag', tag: 'mending' },
      { type: 'pr-link', prUrl: 'https://example.org/pulls/1' },
      { type: 'pr-link', prUrl: 'https://example.org/pulls/2' },
      { type: 'pr-link', prUrl: 'https://example.org/pulls/1' },
    ),
    titleAnswer('Another title'),
  )
  expect(session).toMatchObject({
    title: 'The lock',
    tags: ['mending'],
    pull_requests: ['https://example.org/pulls/2', 'https://example.org/pulls/1'],
  })
})

test('no key contains the text of a title', () => {
  const drafts = [...titleAnswer(`Use ${SECRET}`), ...linesOf(AI_TITLE, { type: 'tag', tag: SECRET })]
  expect(drafts.some(({ kind }) => kind === 'state_change')).toBe(true)
  expect(JSON.stringify(drafts.map(({ keys }) => keys))).not.toMatch(/ghp_|Mend/)
})

test('an answer with a title among other things is not a title', () => {
  expect(titleAnswer('T').filter(({ kind }) => kind === 'state_change')).toHaveLength(1)
  const other = linesOf({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: '{"title":"x"}' }] } })
  expect(other.filter(({ kind }) => kind === 'state_change')).toEqual([])
})
