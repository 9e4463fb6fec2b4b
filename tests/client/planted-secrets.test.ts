import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedSecrets } from '../../src/main/redaction/fixtures/planted-secrets.ts'
import { ask } from '../support/app/ask.ts'
import { aspy, startAspy, type Finished, type RunningCommand } from '../support/app/aspy-command.ts'
import { findSecrets, secretsIn } from '../support/store/byte-scan.ts'
import { findClaude, runClaude, type ClaudeRun } from '../support/client/claude-client.ts'
import type { Answer } from '../support/upstream/messages-answer.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startSinkReceiver, type SinkReceiver } from '../support/upstream/sink-receiver.ts'
import * as planted from '../support/redaction/planted-places.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

/** While this process looks through bytes, connections that rest are closed by the other side. */
const onceMore = (request: () => Promise<Response>): Promise<Response> => request().catch(request)

describe.skipIf(lacks(findClaude() !== null))('secrets that pass through the real client', () => {
  let home: TempFolder
  let data: TempFolder
  let upstream: MessagesUpstream
  let sinks: SinkReceiver
  let served: RunningCommand
  let at: { proxy: string; app: string; token: string }
  let run: ClaudeRun
  let spooled: string[]
  let said: Finished | null = null
  const feed: string[] = []
  const leaving = new AbortController()

  const post = (path: string, body: string) =>
    onceMore(() =>
      fetch(`${at.app}/api/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
        body,
      }),
    )
  const call = async <T>(name: string, input: object = {}) =>
    (await post(name, JSON.stringify(input))).json() as Promise<T>
  const health = () => call<{ spooled: number; recorder: string; redacted: Record<string, number> }>('health.get')
  const count = async (kind: string) => (await call<{ count: number }>('events.count', { kind })).count

  async function listen(): Promise<void> {
    const headers = { authorization: `Bearer ${at.token}` }
    const { body } = await fetch(`${at.app}/api/live`, { headers, signal: leaving.signal })
    for await (const bytes of body ?? []) feed.push(Buffer.from(bytes as Uint8Array).toString('latin1'))
  }

  /** Other failures, which are reported: errors of upstream and of ours, broken bodies, hooks. */
  async function sendTrouble(): Promise<void> {
    await (await onceMore(() => ask(at.proxy, { prompt: 'please fail' }))).text()
    const key = `key=${encodeURIComponent(planted.IN_PATH.join(' '))}`
    for (const [body, path] of [
      [
        `{"model": "m", "messages": [{"role": "user", "content": ${JSON.stringify(planted.spread(planted.IN_BROKEN_BODY))}`,
        '?beta=true',
      ],
      [
        JSON.stringify({
          model: 'm',
          messages: planted.IN_BROKEN_BODY,
          [`note ${planted.IN_BROKEN_BODY[0]}`]: [planted.IN_BROKEN_BODY],
        }),
        `?${key}`,
      ],
    ] as const) {
      await (
        await fetch(`${at.proxy}/v1/messages${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${planted.IN_BROKEN_BODY[0]}` },
          body,
        })
      ).text()
    }
    for (const hook of planted.hooksThatTell()) await post('hooks', JSON.stringify(hook))
    await post('hooks', `{"session_id": "x", "hook_event_name": ${planted.spread(planted.IN_HOOKS)}`)
    await post('events', JSON.stringify({ session_id: 'posted', kind: planted.spread(planted.IN_HOOKS), payload: {} }))
    await post(
      'events',
      JSON.stringify({
        session_id: 'posted',
        kind: 'notification',
        payload: { text: planted.spread(planted.IN_HOOKS) },
      }),
    )
  }

  /** The record while another process holds the database. */
  async function spool(): Promise<string[]> {
    const other = new Database(join(data.path, 'lifestats.db'))
    other.exec('BEGIN IMMEDIATE')
    await (
      await ask(at.proxy, {
        prompt: planted.spread(planted.IN_SPOOL),
        history: [
          { role: 'user', content: planted.cutOverBlocks(planted.IN_SPOOL).map((text) => ({ type: 'text', text })) },
        ],
      })
    ).text()
    await until('it spools', async () => (await health()).spooled > 0)
    const found = secretsIn(data.path, planted.ALL)
    other.exec('ROLLBACK')
    other.close()
    await until('the spool is empty', async () => (await health()).spooled === 0)
    return found
  }

  function answer(n: number, text: string): Answer {
    if (text.includes('please fail'))
      return {
        status: 400,
        error: { type: 'invalid_request_error', message: `no: ${planted.spread(planted.IN_ERROR)}` },
      }
    const read = (name: string) => ({ tool: 'Read', input: { file_path: join(home.path, name) } })
    if (n === 0)
      return {
        steps: [
          { thinking: planted.spread(planted.IN_THINKING) },
          ...planted.cutOverBlocks(planted.IN_BLOCKS).map((part) => ({ text: part })),
          { tool: 'Bash', input: { command: `echo '${planted.IN_CALL.join(' ')}'` } },
          read('notes.txt'),
          read('.env'),
        ],
        deltaLength: 5,
        writeBytes: 11,
        headers: Object.fromEntries(planted.IN_RESPONSE_HEADERS.map((secret, index) => [`x-note-${index}`, secret])),
      }
    // Cut over deltas of seven characters.
    return { steps: [{ text: 'So:' }, { text: planted.spread(planted.IN_ANSWER) }], deltaLength: 7, encoding: 'gzip' }
  }

  beforeAll(async () => {
    home = makeTempFolder('aspy-client-')
    data = makeTempFolder('aspy-data-')
    writeFileSync(join(home.path, 'notes.txt'), planted.spread(planted.IN_FILE))
    writeFileSync(join(home.path, '.env'), planted.IN_ENV.map((value, index) => `NAME_${index}=${value}`).join('\n'))
    upstream = await startMessagesUpstream(({ body }, n) => answer(n, lastUserText(body)))
    sinks = await startSinkReceiver()
    writeFileSync(
      join(data.path, 'config.toml'),
      `[webhook]\nurl = "${sinks.url}/webhook"\ninterval_ms = 50\n[otel]\nendpoint = "${sinks.url}"\ncontent = true\n[lifestats]\nretention_days = 30\n`,
    )
    served = startAspy([
      ...'serve --json --port 0 --proxy-port 0 --upstream'.split(' '),
      upstream.url,
      `--data=${data.path}`,
    ])
    at = JSON.parse(await served.firstLine) as typeof at
    listen().catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error
    })
    run = await runClaude({
      baseUrl: at.proxy,
      prompt: planted.spread(planted.IN_PROMPT),
      home: home.path,
      env: {
        ANTHROPIC_API_KEY: planted.IN_HEADERS[0] ?? '',
        ANTHROPIC_CUSTOM_HEADERS: planted.IN_HEADERS.map((secret, index) => `x-own-${index}: ${secret}`).join('\n'),
      },
    })
    await until('both responses are recorded', async () => (await count('model_response')) === 2)
    await sendTrouble()
    spooled = await spool()
    await (await post('transcripts.import', JSON.stringify({ paths: [join(home.path, '.claude')] }))).text()
    await until('all is recorded', async () => (await count('error')) > 0 && (await count('model_response')) >= 6)
    const blocks = ['thinking', 'text', 'tool_input']
    await until('the feed has told of blocks of every kind', async () =>
      blocks.every((block) => feed.join('').includes(`"block":"${block}"`)),
    )
    leaving.abort()
  })
  afterAll(async () => {
    leaving.abort()
    served?.child.kill()
    await served?.finished
    await upstream?.close()
    await sinks?.vanish()
    home?.remove()
    data?.remove()
  })

  test('all of them were forwarded unchanged', () => {
    expect(run.exitCode).toBe(0)
    expect(planted.ALL.length).toBeGreaterThan(400)
    expect(new Set(plantedSecrets('kinds').map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(40)
    const [first, second] = upstream.requests.filter(({ kind, agentId }) => kind === 'messages' && agentId === null)
    const blocks = second?.body?.messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content.flatMap(({ text }) => text ?? []) : [],
    )
    expect(blocks?.join('')).toBe(planted.spread(planted.IN_BLOCKS))
    const sent = [first, second].flatMap((request) => [
      { where: 'body', text: request?.bytes.toString('latin1') ?? '' },
      { where: 'headers', text: Object.values(request?.headers ?? {}).join('\n') },
      { where: 'blocks', text: blocks?.join('') ?? '' },
    ])
    const passed = new Set(findSecrets(sent, planted.BY_CLIENT).map((found) => found.split(': ').slice(1).join(': ')))
    expect(planted.BY_CLIENT.filter((secret) => !passed.has(secret))).toEqual([])
    expect(run.result?.result).toContain(planted.IN_ANSWER.at(-1))
  })

  test('none is in any file of the data folder, or was there while spooling', () => {
    expect(spooled).toEqual([])
    expect(secretsIn(data.path, planted.ALL)).toEqual([])
  })

  test('none is in the live feed, even with its deltas joined', () => {
    const text = feed.join('')
    expect(findSecrets([{ where: 'feed', text }], planted.ALL)).toEqual([])
    const batches = text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)) as { deltas?: { text: string; block: string }[] })
    const deltas = batches.flatMap((batch) => batch.deltas ?? [])
    const joined = ['thinking', 'text', 'tool_input'].map((block) => ({
      where: `${block} deltas`,
      text: deltas
        .filter((delta) => delta.block === block)
        .map((delta) => delta.text)
        .join(''),
    }))
    expect(joined.every((entry) => entry.text.includes('[redacted:'))).toBe(true)
    expect(findSecrets(joined, planted.ALL)).toEqual([])
  })

  test('none is in any answer of the API or the command line', async () => {
    const answers = await Promise.all([
      post('events.list', JSON.stringify({ limit: 1000 })),
      post('errors.list', '{}'),
      post('recall.search', JSON.stringify({ query: 'number here', tools: true, limit: 100 })),
      post('hooks', planted.spread(planted.IN_HOOKS)),
    ])
    const texts = await Promise.all(
      answers.map(async (response) => ({ where: response.url, text: await response.text() })),
    )
    expect(texts[0]?.text).toContain('[redacted:')
    expect(findSecrets(texts, planted.ALL)).toEqual([])
  })

  test('none is in webhooks, traces or metrics', async () => {
    const { count: all } = await call<{ count: number }>('events.count')
    const sentTo = (path: string) => sinks.received.filter((one) => one.path === path)
    const delivered = () =>
      new Set(
        sentTo('/webhook').flatMap(({ json }) => (json as { events: { uuid: string }[] }).events.map((e) => e.uuid)),
      )
    await until('the webhook has every event', async () => delivered().size >= all)
    await until('a trace has come', async () => sentTo('/v1/traces').some(({ body }) => body.includes('[redacted:')))
    const metrics = await onceMore(() =>
      fetch(`${at.app}/metrics`, { headers: { authorization: `Bearer ${at.token}` } }),
    )
    const page = await metrics.text()
    expect(page).toContain('aspy_events_dropped_total')
    const sent = sinks.received.map(({ path, headers, body }) => ({
      where: path,
      text: `${JSON.stringify(headers)}\n${body}`,
    }))
    expect(sent.some(({ text }) => text.includes('[redacted:anthropic-key:'))).toBe(true)
    expect(findSecrets([...sent, { where: 'metrics', text: page }], planted.ALL)).toEqual([])
  })

  test('Health counts them by rule', async () => {
    await until('they are counted', async () => Object.keys((await health()).redacted).length > 40)
    expect((await health()).recorder).toBe('running')
  })

  test('the search works: it finds a planted secret in four forms', () => {
    const secret = planted.IN_PROMPT[0] ?? ''
    const forms = [
      secret,
      Buffer.from(`x${secret}`).toString('base64'),
      encodeURIComponent(`<${secret}>`),
      secret.toLowerCase(),
    ]
    const paths = forms.map((_, index) => join(data.path, `behind-${index}.log`))
    paths.forEach((path, index) => writeFileSync(path, forms[index] ?? ''))
    const found = secretsIn(data.path, planted.ALL)
    for (const path of paths) rmSync(path)
    expect(found.toSorted()).toEqual(forms.map((_, index) => `behind-${index}.log: ${secret}`))
  })

  test('the app printed none, and left none after it stopped', async () => {
    served.child.kill()
    said = await served.finished
    expect(findSecrets([{ where: 'output', text: said.stdout + said.stderr }], planted.ALL)).toEqual([])
    expect(said.stdout).toContain('"ready":true')
    expect(secretsIn(data.path, planted.ALL)).toEqual([])
  })

  test('none is in archives', async () => {
    const database = new Database(join(data.path, 'lifestats.db'))
    database.exec(`INSERT INTO metadata (key, value) VALUES ('log_open', 'a test');
      UPDATE events SET ts_wall = strftime('%Y-%m-%dT%H:%M:%fZ', ts_wall, '-100 days');
      DELETE FROM metadata WHERE key = 'log_open'`)
    database.close()
    const { code, stdout, stderr } = await aspy(['archive', '--json', '--data', data.path])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ done: true })
    expect(readdirSync(join(data.path, 'archive')).length).toBeGreaterThan(0)
    expect(secretsIn(data.path, planted.ALL)).toEqual([])
  })
})
