import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { OPENCODE, OTHER_CLIENTS, runOther } from '../support/client/other-clients.ts'
import { createScript, LONG, STORIES } from '../support/client/other-script.ts'
import { isHeavy } from '../support/runner/heavy.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'

test('the docs name the versions that heavy runs test', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/other-clients.md'), 'utf8')
  for (const { name, from } of [...OTHER_CLIENTS, OPENCODE]) expect(docs, name).toContain(` ${from.version} (`)
})

describe.each(isHeavy ? OTHER_CLIENTS : [])('$name', (client) => {
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

/** A session, an answer or a prompt as OpenCode's own database has it. */
interface OwnSession {
  readonly id: string
  readonly parent_id: string | null
  readonly directory: string
  readonly title: string
  readonly version: string
}
interface OwnAnswer {
  readonly session_id: string
  readonly input: number
  readonly output: number
  readonly read: number
  readonly written: number
}

interface Listed {
  readonly id: string
  readonly client: string
  readonly client_version: string
  readonly project: string
  readonly title: string
  readonly compactions: number
}

// Its sessions are rows of a database, which is not imported.
describe.each(isHeavy ? [OPENCODE] : [])('$name', (client) => {
  describe.skipIf(lacks(client.from.find() !== null))('six stories, as its database tells them', () => {
    let upstream: MessagesUpstream
    let app: TestApp
    let home: TempFolder
    let events: RecordedEvent[]
    let sessions: readonly Listed[]
    let own: readonly OwnSession[]
    let answers: readonly OwnAnswer[]
    let prompts: readonly { readonly text: string }[]
    beforeAll(async () => {
      home = makeTempFolder('aspy-opencode-')
      upstream = await startMessagesUpstream(createScript(client))
      app = await startApp({ upstream: upstream.url })
      const run = async (prompt: string, resume: string | null = null) =>
        expect(await runOther(client, home.path, app.proxy, prompt, resume), prompt.slice(0, 20)).toMatchObject({
          code: 0,
        })
      for (const [at, story] of STORIES.entries()) {
        await run(story)
        await settled(app)
        const [newest] = (await app.call<{ items: readonly Listed[] }>('sessions.list')).items
        const further =
          at === 0 ? ['And again: what did we do?'] : story.startsWith('Long') ? [`FILL it. ${LONG}`, 'And then?'] : []
        for (const prompt of further) await run(prompt, newest?.id ?? null)
      }
      await settled(app)
      events = await recordedEvents(app)
      sessions = (await app.call<{ items: readonly Listed[] }>('sessions.list')).items
      const database = new Database(join(home.path, '.local/share/opencode/opencode.db'), { readonly: true })
      own = database.prepare<[], OwnSession>('SELECT id, parent_id, directory, title, version FROM session').all()
      answers = database
        .prepare<[], OwnAnswer>(
          `SELECT session_id, data ->> '$.tokens.input' input, data ->> '$.tokens.output' output,
                  data ->> '$.tokens.cache.read' read, data ->> '$.tokens.cache.write' written
             FROM message WHERE data ->> 'role' = 'assistant' AND data ->> '$.tokens.output' > 0`,
        )
        .all()
      prompts = database
        .prepare<[], { readonly text: string }>(
          `SELECT part.data ->> 'text' text FROM part JOIN message ON message.id = message_id
             JOIN session ON session.id = message.session_id
            WHERE message.data ->> 'role' = 'user' AND part.data ->> 'type' = 'text'
              AND part.data ->> 'synthetic' IS NULL AND parent_id IS NULL`,
        )
        .all()
      database.close()
    })
    afterAll(async () => {
      await app?.close()
      await upstream?.close()
      home?.remove()
    })
    const of = (kind: string) => events.filter((event) => event.kind === kind)

    test('session, project, client, version and title are its own', () => {
      const told = own.filter(({ parent_id }) => parent_id === null)
      const wanted = told.map(({ id, directory, title, version }) => [id, client.name, version, directory, title])
      const listed = sessions.map((row) => [row.id, row.client, row.client_version, row.project, row.title])
      expect(listed.toSorted()).toEqual(wanted.toSorted())
      expect(listed).toHaveLength(STORIES.length)
    })

    test('each answer has its usage, and each prompt its words', () => {
      const counted = of('api_usage').flatMap(({ session_id, agent_id, payload }) => {
        // Its database leaves out the answers that name sessions; a small model gives them.
        if (payload['model'] !== 'claude-sonnet-4-5') return []
        const usage = payload['usage'] as Record<string, number>
        const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
        return [
          [agent_id ?? session_id, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
        ]
      })
      const kept = answers.map((row) => [row.session_id, row.input, row.output, row.read, row.written])
      expect(counted.toSorted()).toEqual(kept.toSorted())
      const said = of('user_prompt').map(({ payload }) => shown(payload['text']))
      expect(said.toSorted()).toEqual(prompts.map(({ text }) => shown(text)).toSorted())
    })

    test('the agent, the failed request and the compaction are there', () => {
      const [agent] = own.filter(({ parent_id }) => parent_id !== null)
      for (const kind of ['agent_started', 'agent_ended']) expect(of(kind)).toMatchObject([{ agent_id: agent?.id }])
      expect(of('error')).toMatchObject([{ payload: { status: 529 } }])
      expect(sessions.map(({ compactions }) => compactions).toSorted()).toEqual([0, 0, 0, 1])
    })
  })
})
