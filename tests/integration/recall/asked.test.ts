import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** The same question, as people ask it again and again. */
const ASKED = [
  'what did we decide about the job queue?',
  'What did we decide about the job queue',
  'hey, what did we decide about the job queue again?',
  'remind me: what did we decide about the job queue?',
  'did we decide anything about the job queue?',
  'what did we decide about the job queue? I forgot.',
]
const NOTHING_FOUND = 'I do not see anything in this repository that says what was decided. Let me look around.'
const DECISION =
  'Decision: the job queue stays in Postgres with SKIP LOCKED. Redis would be one more thing to run, and we never had ' +
  'more than forty jobs a second.'

const drafts = ASKED.flatMap((text, at) => [
  turn('user_prompt', `q${at}`, `s${at}`, text, at * 2),
  turn('assistant_text', `a${at}`, `s${at}`, NOTHING_FOUND, at * 2 + 1),
])
drafts.push(
  turn('user_prompt', 'asks', 'decided', 'should jobs go to redis or stay in the database?', 20),
  turn('assistant_text', 'decision', 'decided', DECISION, 21),
  ...['we deploy on Fridays', 'the theme is dark', 'rename the module'].flatMap((text, at) => [
    turn('user_prompt', `o${at}`, `other${at}`, text, 30 + at),
  ]),
)

function turn(kind: 'user_prompt' | 'assistant_text', uuid: string, session_id: string, text: string, minute: number) {
  const at = new Date(Date.parse('2026-03-01T08:00:00Z') + minute * 60_000).toISOString()
  const more = { at, uuid, session_id, keys: [uuid] }
  return kind === 'user_prompt'
    ? draftOf(kind, { text }, more)
    : draftOf(kind, { text, message_id: uuid, index: 0 }, more)
}

test.each([
  'what did we decide about the job queue?',
  'What did we decide about the job queue',
  'did we decide anything about the job queue?',
  'why did we decide on this job queue?',
  'job queue decision',
  'decide job queue',
  'decided job queue',
])('what answers ranks before what asks: %s', (query) => {
  using folder = makeTempFolder()
  reading(fillStore(folder.path, drafts), (reader) => {
    const { items } = readerHandlers['recall.search'](reader, recallSearch.input.parse({ query }))
    expect(items.map(({ uuid }) => uuid)[0], items.map(({ uuid, content }) => `${uuid} ${content}`).join('\n')).toBe(
      'decision',
    )
  })
})

/** One session that decided; later ones, in which Claude only asked Aspy, or asked and then worked. */
const looked = [
  turn('user_prompt', 'asks', 'decided', 'The payment client fails when the gateway is slow. Add retries.', 0),
  turn('assistant_text', 'decision', 'decided', 'Decided: the retry policy is backoff with jitter, five attempts.', 1),
  turn('user_prompt', 'finds', 'later', 'Use aspy to look up which retry policy we decided on', 10),
  call('mcp__plugin_aspy_aspy__aspy_recall', 'c1', 'later', 11),
  turn(
    'assistant_text',
    'found',
    'later',
    'The retry policy you decided on is backoff with jitter, five attempts.',
    12,
  ),
  turn('user_prompt', 'works', 'work', 'look up the retry policy we decided on, then apply it to the mailer', 20),
  call('mcp__aspy__aspy_recall', 'c2', 'work', 21),
  call('Edit', 'c3', 'work', 22),
  turn(
    'assistant_text',
    'worked',
    'work',
    'The mailer has the retry policy we decided on, with a delay of ten minutes.',
    23,
  ),
]

function call(name: string, id: string, session_id: string, minute: number) {
  const at = new Date(Date.parse('2026-03-01T08:00:00Z') + minute * 60_000).toISOString()
  const payload = { call_id: id, tool_name: name, input: { query: 'it' }, message_id: id, index: 0 }
  return draftOf('tool_call', payload, { at, uuid: id, session_id, keys: [id] })
}

test.each(['retry policy', 'what did we decide about the retry policy', 'decided retry policy'])(
  'what was decided ranks before a turn that only asked Aspy: %s',
  (query) => {
    using folder = makeTempFolder()
    reading(fillStore(folder.path, looked), (reader) => {
      const { items } = readerHandlers['recall.search'](reader, recallSearch.input.parse({ query }))
      const places = items.map(({ uuid }) => uuid)
      const worst = Math.max(places.indexOf('decision'), places.indexOf('worked'))
      expect(worst).toBeLessThan(Math.min(places.indexOf('finds'), places.indexOf('found')))
    })
  },
)
