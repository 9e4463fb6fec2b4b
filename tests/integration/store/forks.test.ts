import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/store/folder.ts'
import { look, pass, startRecorder, type RecorderUnderTest } from '../../support/recorder/harness.ts'

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly object[]
}
const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const answered = (...content: readonly object[]): Message => ({ role: 'assistant', content })
const words = (text: string) => ({ type: 'text', text })

async function started(dataDir = temporaryFolder()): Promise<RecorderUnderTest> {
  const recorder = await startRecorder(dataDir)
  onTestFinished(() => recorder.stop())
  return recorder
}

/** Returns prompts and answers in order, each with its session. */
const textsOf = (dataDir: string) =>
  look(dataDir, (db) =>
    db
      .prepare<[], { session_id: string; text: string }>(
        `SELECT session_id, json_extract(payload, '$.text') AS text FROM events
         WHERE kind IN ('user_prompt', 'assistant_text') ORDER BY id`,
      )
      .all()
      .map(({ session_id, text }) => `${session_id}: ${text}`),
  )

const sightingsOf = (dataDir: string, session: string) =>
  look(dataDir, (db) =>
    db
      .prepare(
        `SELECT json_extract(e.payload, '$.text') FROM sightings s JOIN events e ON e.uuid = s.uuid
         WHERE s.session_id = ? AND e.session_id <> s.session_id ORDER BY e.id`,
      )
      .pluck()
      .all(session),
  )

const FIRST = said('Which port does the proxy use?')
const HISTORY = [FIRST, answered(words('It listens on 2779.'))]

async function original(recorder: RecorderUnderTest): Promise<void> {
  await pass(recorder.tap, { session: 'a', messages: [FIRST], answer: { steps: [{ text: 'It listens on 2779.' }] } })
  await recorder.settled()
}

async function forked(
  recorder: RecorderUnderTest,
  session = 'b',
  history: readonly Message[] = HISTORY,
): Promise<void> {
  const messages = [...history, said(`Go on in ${session}.`)]
  await pass(recorder.tap, { session, messages, answer: { steps: [{ text: `Going on in ${session}.` }] } })
  await recorder.settled()
}

describe('a fork seen only on the wire', () => {
  test('copies known history and adds its own', async () => {
    const recorder = await started()
    await original(recorder)
    await forked(recorder)
    expect(textsOf(recorder.dataDir)).toEqual([
      'a: Which port does the proxy use?',
      'a: It listens on 2779.',
      'b: Go on in b.',
      'b: Going on in b.',
    ])
    expect(sightingsOf(recorder.dataDir, 'b')).toEqual(['Which port does the proxy use?', 'It listens on 2779.'])
  })

  test('is recognized after a restart, as is the fork of a fork', async () => {
    const first = await started()
    await original(first)
    await first.stop()
    const second = await started(first.dataDir)
    await forked(second)
    const history = [...HISTORY, said('Go on in b.'), answered(words('Going on in b.'))]
    await forked(second, 'c', history)
    expect(textsOf(second.dataDir).slice(2)).toEqual([
      'b: Go on in b.',
      'b: Going on in b.',
      'c: Go on in c.',
      'c: Going on in c.',
    ])
    expect(sightingsOf(second.dataDir, 'c')).toHaveLength(4)
  })

  test('is recognized by a call if other parts were never recorded', async () => {
    const recorder = await started()
    const call = { type: 'tool_use', id: 'toolu_known', name: 'Bash', input: { command: 'ls' } }
    const result = { type: 'tool_result', tool_use_id: 'toolu_known', content: 'a.css' }
    const list = said('List it.')
    await pass(recorder.tap, {
      session: 'a',
      messages: [list],
      answer: { steps: [{ tool: 'Bash', input: { command: 'ls' }, id: 'toolu_known' }] },
    })
    await recorder.settled()
    const history: readonly Message[] = [
      list,
      answered(call),
      { role: 'user', content: [result] },
      answered(words('One file.')),
    ]
    await forked(recorder, 'b', history)
    expect(textsOf(recorder.dataDir)).toEqual(['a: List it.', 'b: One file.', 'b: Go on in b.', 'b: Going on in b.'])
  })
})

describe('sessions that only look like forks', () => {
  test('a session with the same start and a different continuation keeps its history', async () => {
    const recorder = await started()
    await original(recorder)
    await forked(recorder, 'b', [FIRST, answered(words('I do not know.'))])
    expect(textsOf(recorder.dataDir).slice(2)).toEqual([
      'b: Which port does the proxy use?',
      'b: I do not know.',
      'b: Go on in b.',
      'b: Going on in b.',
    ])
  })

  test('two sessions with the same question and the same answer stay two', async () => {
    const recorder = await started()
    await original(recorder)
    await pass(recorder.tap, { session: 'b', messages: [FIRST], answer: { steps: [{ text: 'It listens on 2779.' }] } })
    await recorder.settled()
    await forked(recorder, 'b')
    expect(textsOf(recorder.dataDir)).toEqual([
      'a: Which port does the proxy use?',
      'a: It listens on 2779.',
      'b: Which port does the proxy use?',
      'b: It listens on 2779.',
      'b: Go on in b.',
      'b: Going on in b.',
    ])
  })
})
