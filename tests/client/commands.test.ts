import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'

interface Event {
  readonly id: number
  readonly turn_id: number
  readonly kind: string
  readonly payload: { readonly [name: string]: unknown }
}

const PROMPTS = ['First', '/compact focus on it', 'Second', '/model', 'FILL it', 'Third']
/** The model's window is full, so the client compacts before the next prompt. */
const FULL = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 195_000 }
const EARLY = { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50', CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' }

// By base URL and without hooks, as most people run it.
describe.skipIf(lacks(findClaude() !== null))('commands of the real client', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let home: TempFolder
  beforeAll(async () => {
    home = makeTempFolder('aspy-commands-')
    let summaries = 0
    upstream = await startMessagesUpstream(({ body }) => {
      const last = JSON.stringify(body?.messages.at(-1))
      if (last.includes('Respond with TEXT ONLY'))
        return { steps: [{ text: `<summary>Part ${++summaries}.</summary>` }] }
      return { steps: [{ text: 'Answer.' }], ...(lastUserText(body).includes('FILL') ? { usage: FULL } : {}) }
    })
    app = await startApp({ upstream: upstream.url, settings: { 'transcripts.follow': false } })
    let session: string | undefined
    for (const prompt of PROMPTS) {
      const args = ['--model', 'claude-sonnet-4-5', ...(session === undefined ? [] : ['--resume', session])]
      const run = await runClaude({ baseUrl: app.proxy, prompt, home: home.path, args, env: EARLY })
      session ??= run.result?.session_id
    }
    await settled(app)
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    home?.remove()
  })

  const events = async (of: TestApp) =>
    (await of.call<{ items: readonly Event[] }>('events.list', { limit: 1000 })).items.toSorted((a, b) => a.id - b.id)
  const prompts = (all: readonly Event[]) =>
    all.flatMap(({ kind, payload }) => (kind === 'user_prompt' ? [payload['text']] : []))
  const triggers = (all: readonly Event[]) =>
    all.flatMap(({ kind, payload }) => (kind === 'compaction' ? [`${payload['summary']} ${payload['trigger']}`] : []))
  /** The prompts of the turns that the outputs of commands are in. */
  const outputsOf = (all: readonly Event[]) =>
    all
      .filter(({ payload }) => payload['level'] === 'command_output')
      .map(({ turn_id }) => prompts(all.filter((event) => event.turn_id === turn_id))[0])

  const WHOLE = { prompts: PROMPTS, triggers: ['Part 1. manual', 'Part 2. auto'], outputs: [PROMPTS[1], PROMPTS[3]] }
  const told = (all: readonly Event[]) => ({ prompts: prompts(all), triggers: triggers(all), outputs: outputsOf(all) })

  test('stand before the prompt they were typed before, and say what began a compaction: live, imported, both', async () => {
    expect(told(await events(app))).toEqual(WHOLE)
    const done = (await app.run<{ events_added: number }>('transcripts.import', { paths: [home.path] })).at(-1)
    expect(done?.events_added).toBe(0)
    expect(told(await events(app))).toEqual(WHOLE)
    await using alone = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'transcripts.follow': false } })
    await alone.run('transcripts.import', { paths: [home.path] })
    expect(told(await events(alone))).toEqual(WHOLE)
  })
})
