import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { readStore } from '../support/store/folder.ts'
import type { Answer } from '../support/upstream/messages-answer.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

const PROMPT = 'Paint the door, please'
const CALL: Answer = { steps: [{ tool: 'Bash', input: { command: 'echo one' } }] }
const THOUGHT = [{ thinking: 'Let me think.' }]

/** The model's answers before its last one. After each of them, the client sends a notice of its own. */
const STORIES: readonly (readonly [string, readonly Answer[]])[] = [
  ['a text was cut', [{ steps: [{ text: 'I begin' }, { cut: true }] }]],
  ['an answer was only thinking', [{ steps: THOUGHT }]],
  ['an answer after a call was only thinking', [CALL, { steps: THOUGHT }]],
  [
    'the limit cut thinking, then a text',
    [
      { steps: THOUGHT, stopReason: 'max_tokens' },
      { steps: [{ text: 'I begin' }], stopReason: 'max_tokens' },
    ],
  ],
  ['a classifier stopped a text', [{ steps: [{ text: 'I begin' }], stopReason: 'refusal' }]],
  ['an answer was only thinking, and the client does not wrap its notice', [{ steps: THOUGHT }]],
]
const sessions = STORIES.map((_, at) => `1111111${at}-1111-4111-8111-111111111111`)

const rowsOf = (app: TestApp, sql: string) =>
  readStore(join(app.data, 'lifestats.db'), (db) => db.prepare(sql).all()) as unknown[]

/** Contents of each session: its prompts, turns, and their ends. */
const told = (app: TestApp) => ({
  prompts: rowsOf(app, 'SELECT session_id, content FROM user_prompts ORDER BY session_id, timestamp, id'),
  turns: rowsOf(app, 'SELECT id, turn_count FROM sessions ORDER BY id'),
  ends: rowsOf(app, `SELECT session_id, count(*) AS n FROM events WHERE kind = 'turn_ended' GROUP BY 1 ORDER BY 1`),
})

test.skipIf(lacks(findClaude() !== null))(
  'a notice of the client repeats no prompt and begins no turn, live and after an import',
  async () => {
    using home = makeTempFolder('aspy-client-')
    const asked = new Map<string | null, number>()
    await using upstream = await startMessagesUpstream(({ sessionId }) => {
      const n = asked.get(sessionId) ?? 0
      asked.set(sessionId, n + 1)
      const answers = STORIES[sessions.findIndex((id) => id === sessionId)]?.[1]
      return answers?.[n] ?? { steps: [{ text: 'All done.' }] }
    })
    await using live = await startApp({ upstream: upstream.url })
    const transcripts: string[] = []
    for (const [at, session] of sessions.entries()) {
      const run = await runClaude({
        baseUrl: live.proxy,
        prompt: PROMPT,
        home: home.path,
        args: ['--session-id', session],
        // Otherwise a switch of the client's vendor decides whether it wraps its notices.
        env: { CLAUDE_CODE_SHINY_FOUNTAIN: at < STORIES.length - 1 ? '1' : '0' },
      })
      expect(run.result, run.stderr).toMatchObject({ is_error: false })
      transcripts.push(...run.transcripts.filter((path) => path.includes(session)))
    }
    expect(sessions.map((session) => asked.get(session))).toEqual(STORIES.map(([, answers]) => answers.length + 1))
    const sent = upstream.requests.map(({ body }) => JSON.stringify(body?.messages ?? []))
    expect(
      sent.filter((messages) => messages.includes(String.raw`<system-reminder>\nOutput token limit hit`)),
    ).not.toEqual([])
    await until('all is recorded', async () => {
      const health = await live.call<Record<string, number>>('health.get')
      return health['exchanges_recorded'] === health['exchanges_seen']
    })

    const expected = {
      prompts: sessions.map((session) => ({ session_id: session, content: PROMPT })),
      turns: sessions.map((id) => ({ id, turn_count: 1 })),
      ends: sessions.map((session) => ({ session_id: session, n: 1 })),
    }
    expect(told(live)).toEqual(expected)
    await live.run('transcripts.import', { paths: transcripts })
    expect(told(live)).toEqual(expected)
    await using imported = await startApp({ upstream: upstream.url })
    await imported.run('transcripts.import', { paths: transcripts })
    expect(told(imported)).toEqual(expected)
  },
)
