import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { OTHER_CLIENTS, runOther, type OtherClient } from '../support/client/other-clients.ts'
import { isHeavy } from '../support/runner/heavy.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import type { Answer } from '../support/upstream/messages-answer.ts'
import {
  lastUserText,
  startMessagesUpstream,
  type MessagesUpstream,
  type SeenRequest,
} from '../support/upstream/messages-upstream.ts'

const USAGE = { input_tokens: 101, output_tokens: 17, cache_read_input_tokens: 1003, cache_creation_5m: 55 }
/** A client keeps the newest messages: only older ones are summarized. */
const LONG = 'lorem ipsum dolor sit amet '.repeat(4000)

/** Returns an upstream's script: the model's answers, by the last words of the request. */
function createScript({ tools, fullAt }: OtherClient): (seen: SeenRequest) => Answer {
  let failures = 0
  return ({ body }) => {
    const text = lastUserText(body)
    const names = body?.tools?.map(({ name }) => name) ?? []
    if (JSON.stringify(body?.messages.at(-1)).includes('tool_result'))
      return { steps: [{ thinking: 'It ran.' }, { text: 'Done.' }], usage: USAGE }
    if (text.includes('BREAK') && failures++ === 0)
      return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
    if (text.includes('FILL'))
      return { steps: [{ text: 'Full.' }], usage: { ...USAGE, cache_read_input_tokens: fullAt } }
    const [tool, input] = text.includes('AGENT')
      ? [
          tools.agent,
          { description: 'look', prompt: 'Look at them.', subagent_type: tools.agentType, ...tools.further },
        ]
      : [tools.shell, { command: 'echo zebra', description: 'say it' }]
    if ((text.includes('zebra') || text.includes('AGENT')) && tool !== null && names.includes(tool))
      return { steps: [{ text: 'I will.' }, { tool, input }], usage: USAGE }
    return {
      steps: [{ text: `<state_snapshot>You said ${text.trim().length} characters.</state_snapshot>` }],
      usage: USAGE,
    }
  }
}

const STORIES = ['Please run echo zebra', 'BREAK it', 'Use an AGENT now', `Long. ${LONG}`]
const CLIENTS = isHeavy ? OTHER_CLIENTS : OTHER_CLIENTS.slice(0, 1)

describe.each(CLIENTS)('$name', (client) => {
  describe.skipIf(lacks(client.from.find() !== null))('its files', () => {
    const { HOME } = process.env
    let upstream: MessagesUpstream
    let app: TestApp
    let home: TempFolder
    let live: RecordedEvent[]

    beforeAll(async () => {
      home = makeTempFolder('aspy-other-')
      process.env['HOME'] = home.path
      upstream = await startMessagesUpstream(createScript(client))
      app = await startApp({ upstream: upstream.url })
      const run = async (prompt: string, resume: string | null = null) => {
        const { code, stderr } = await runOther(client, home.path, app.proxy, prompt, resume)
        expect([code, stderr.includes('rror:') ? stderr : ''], prompt.slice(0, 20)).toEqual([0, ''])
      }
      for (const [at, story] of STORIES.entries()) {
        const before = filesIn(home.path)
        await run(story)
        const resumed = filesIn(home.path).flatMap((path) =>
          before.includes(path) ? [] : (client.sessionIn(path) ?? []),
        )[0]
        const further =
          at === 0 ? ['And again: what did we do?'] : story.startsWith('Long') ? [`FILL it. ${LONG}`, 'And then?'] : []
        for (const prompt of further) await run(prompt, resumed ?? null)
        // From here on, its files are followed while it runs.
        if (at === 0) await app.run('transcripts.import')
      }
      await settled(app)
      await until('its files are read', async () => (await unread()) === 0)
      live = await recordedEvents(app)
    })
    afterAll(async () => {
      await app?.close()
      await upstream?.close()
      home?.remove()
      Object.assign(process.env, { HOME })
    })
    const unread = async () => (await app.call<{ new_bytes: number }>('transcripts.find')).new_bytes
    const prompts = (events: readonly RecordedEvent[]) =>
      events.flatMap(({ kind, payload }) => (kind === 'user_prompt' ? [shown(payload['text'])] : [])).toSorted()
    const sessionsOf = async (of: TestApp) =>
      (await of.call<{ items: readonly { client: string; project: string | null }[] }>('sessions.list')).items

    test('add nothing to what was recorded while it ran, followed or imported', async () => {
      const said = [...STORIES, 'And again: what did we do?', `FILL it. ${LONG}`, 'And then?']
      expect(prompts(live)).toEqual(said.map(shown).toSorted())
      const counted = live.filter(({ kind }) => kind === 'api_usage').map(({ payload }) => payload['message_id'])
      expect(counted).toHaveLength(upstream.requests.filter(({ body }) => body?.stream === true).length - 1)
      const done = (
        await app.run<{ events_added: number; lines_bad: number }>('transcripts.import', { paths: [home.path] })
      ).at(-1)
      expect(done).toMatchObject({ events_added: 0, lines_bad: 0 })
      const ended = live.filter(({ kind }) => kind === 'agent_started' || kind === 'agent_ended')
      expect(ended.map(({ kind }) => kind)).toEqual(client.tools.agent === null ? [] : ['agent_started', 'agent_ended'])
      const compactions = live.flatMap(({ kind, payload }) => (kind === 'compaction' ? [payload['trigger']] : []))
      expect(compactions).toHaveLength(1)
    })

    test('say the same alone: prompts, answers, calls, usage, project', async () => {
      await using alone = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'transcripts.follow': false } })
      await alone.run('transcripts.import', { paths: [home.path] })
      const events = await recordedEvents(alone)
      expect(prompts(events)).toEqual(prompts(live))
      expect(tokensOf(events)).toEqual(tokensOf(live))
      for (const kind of ['assistant_text', 'thinking', 'tool_call', 'tool_result', 'compaction', 'unknown'])
        expect([kind, textsOf(events, kind)]).toEqual([kind, textsOf(live, kind)])
      const [recorded, imported] = [await sessionsOf(app), await sessionsOf(alone)]
      const work = join(home.path, 'work')
      expect(imported.map((session) => [session.client, session.project])).toEqual(
        imported.map(() => [client.name, work]),
      )
      expect(recorded.map((session) => [session.client, session.project])).toEqual(
        recorded.map(() => [client.name, work]),
      )
      expect(imported).toHaveLength(STORIES.length)
    })
  })
})

/** A long text is stored apart. */
const shown = (text: unknown): string => (typeof text === 'string' && text.length < 100 ? text : 'a long text')

const filesIn = (home: string): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))

/** All tokens, by model: not all clients tell what was written to the cache from other input. */
function tokensOf(events: readonly RecordedEvent[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { kind, payload } of events) {
    if (kind !== 'api_usage') continue
    const usage = payload['usage'] as Record<string, number>
    const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
    const model = String(payload['model'])
    sums[model] = (sums[model] ?? 0) + names.reduce((sum, name) => sum + (usage[name] ?? 0), 0)
  }
  return sums
}

const textsOf = (events: readonly RecordedEvent[], kind: string) =>
  events
    .filter((event) => event.kind === kind)
    .map(({ payload }) => payload['text'] ?? payload['summary'] ?? payload['call_id'])
    .toSorted()
