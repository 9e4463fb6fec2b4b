import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedSecrets } from '../../src/main/redaction/planted-secrets.ts'
import { ask } from '../support/ask.ts'
import { startAspy, type Finished, type RunningCommand } from '../support/aspy-command.ts'
import { findSecrets, secretsIn } from '../support/byte-scan.ts'
import { findClaude, runClaude, type ClaudeRun } from '../support/claude-client.ts'
import type { Answer } from '../support/messages-answer.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/messages-upstream.ts'
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

// A Telegram token is known by the number before it.
const inPlace = (text: string) => (text.startsWith(':AA') ? `123456789${text}` : text)
const planted = (where: string) => plantedSecrets(where).map(({ text }) => inPlace(text))
const oneLine = (texts: readonly string[]) => texts.filter((text) => !text.includes('\n'))

const IN_HEADERS = oneLine(planted('headers'))
const IN_PROMPT = oneLine(planted('prompt'))
const IN_THINKING = planted('thinking')
const IN_BLOCKS = planted('blocks')
const IN_CALL = oneLine(planted('call'))
const IN_FILE = planted('file')
const IN_ENV = Array.from({ length: 12 }, (_, index) => `plainlooking${index}value${index * 7}word`)
const IN_ANSWER = planted('answer')
const BY_CLIENT = [IN_HEADERS, IN_PROMPT, IN_THINKING, IN_BLOCKS, IN_CALL, IN_FILE, IN_ENV].flat()

const IN_ERROR = planted('error')
const IN_RESPONSE_HEADERS = oneLine(planted('response headers')).slice(0, 20)
const IN_BROKEN_BODY = oneLine(planted('broken body'))
const IN_PATH = oneLine(planted('path')).slice(0, 20)
const IN_HOOKS = planted('hooks')
const IN_SPOOL = planted('spool')
const ALL = [BY_CLIENT, IN_ANSWER, IN_ERROR, IN_RESPONSE_HEADERS, IN_BROKEN_BODY, IN_PATH, IN_HOOKS, IN_SPOOL].flat()

const spread = (texts: readonly string[]) => texts.map((text, index) => `Number ${index} is ${text} here.`).join('\n')
/** Texts in each of which one secret ends and the next begins. */
function cutOverBlocks(secrets: readonly string[]): string[] {
  const whole = spread(secrets)
  const cuts = secrets.map((secret, index) => whole.indexOf(secret) + 9 + ((index * 7) % (secret.length - 18)))
  return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length))
}

/** While this process looks through bytes, connections that rest are closed by the other side. */
const onceMore = (request: () => Promise<Response>): Promise<Response> => request().catch(request)

describe.skipIf(findClaude() === null)('secrets that pass through the real client', () => {
  let home: TempFolder
  let data: TempFolder
  let upstream: MessagesUpstream
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

  /** What else goes wrong, and says so: errors of upstream and of ours, broken bodies, hooks. */
  async function sendTrouble(): Promise<void> {
    await (await onceMore(() => ask(at.proxy, { prompt: 'please fail' }))).text()
    const key = `key=${encodeURIComponent(IN_PATH.join(' '))}`
    for (const [body, path] of [
      [
        `{"model": "m", "messages": [{"role": "user", "content": ${JSON.stringify(spread(IN_BROKEN_BODY))}`,
        '?beta=true',
      ],
      [
        JSON.stringify({ model: 'm', messages: IN_BROKEN_BODY, [`note ${IN_BROKEN_BODY[0]}`]: [IN_BROKEN_BODY] }),
        `?${key}`,
      ],
    ] as const) {
      await (
        await fetch(`${at.proxy}/v1/messages${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${IN_BROKEN_BODY[0]}` },
          body,
        })
      ).text()
    }
    const hook = { session_id: 'hooked', cwd: '/tmp', transcript_path: `/tmp/${oneLine(IN_HOOKS)[0]}` }
    for (const more of [
      { hook_event_name: 'UserPromptSubmit', prompt: spread(IN_HOOKS) },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Bash',
        tool_use_id: 'toolu_h',
        tool_input: { command: spread(IN_HOOKS) },
        tool_response: { stdout: spread(IN_HOOKS) },
      },
      { hook_event_name: 'PostToolUseFailure', tool_name: 'Bash', tool_use_id: 'toolu_f', error: spread(IN_HOOKS) },
      { hook_event_name: 'Stop', last_assistant_message: cutOverBlocks(IN_BLOCKS)[1] },
      { hook_event_name: 'NobodyKnowsThis', detail: { deep: [spread(IN_HOOKS)] } },
    ])
      await post('hooks', JSON.stringify({ ...hook, ...more }))
    await post('hooks', `{"session_id": "x", "hook_event_name": ${spread(IN_HOOKS)}`)
    await post('events', JSON.stringify({ session_id: 'posted', kind: spread(IN_HOOKS), payload: {} }))
    await post(
      'events',
      JSON.stringify({ session_id: 'posted', kind: 'notification', payload: { text: spread(IN_HOOKS) } }),
    )
  }

  /** What is recorded while somebody else holds the database. */
  async function spool(): Promise<string[]> {
    const other = new Database(join(data.path, 'lifestats.db'))
    other.exec('BEGIN IMMEDIATE')
    await (
      await ask(at.proxy, {
        prompt: spread(IN_SPOOL),
        history: [{ role: 'user', content: cutOverBlocks(IN_SPOOL).map((text) => ({ type: 'text', text })) }],
      })
    ).text()
    await until('it spools', async () => (await health()).spooled > 0)
    const found = secretsIn(data.path, ALL)
    other.exec('ROLLBACK')
    other.close()
    await until('the spool is empty', async () => (await health()).spooled === 0)
    return found
  }

  function answer(n: number, text: string): Answer {
    if (text.includes('please fail'))
      return { status: 400, error: { type: 'invalid_request_error', message: `no: ${spread(IN_ERROR)}` } }
    const read = (name: string) => ({ tool: 'Read', input: { file_path: join(home.path, name) } })
    if (n === 0)
      return {
        steps: [
          { thinking: spread(IN_THINKING) },
          ...cutOverBlocks(IN_BLOCKS).map((part) => ({ text: part })),
          { tool: 'Bash', input: { command: `echo '${IN_CALL.join(' ')}'` } },
          read('notes.txt'),
          read('.env'),
        ],
        deltaLength: 5,
        writeBytes: 11,
        headers: Object.fromEntries(IN_RESPONSE_HEADERS.map((secret, index) => [`x-note-${index}`, secret])),
      }
    // Cut over deltas of seven characters.
    return { steps: [{ text: 'So:' }, { text: spread(IN_ANSWER) }], deltaLength: 7, encoding: 'gzip' }
  }

  beforeAll(async () => {
    home = makeTempFolder('aspy-client-')
    data = makeTempFolder('aspy-data-')
    writeFileSync(join(home.path, 'notes.txt'), spread(IN_FILE))
    writeFileSync(join(home.path, '.env'), IN_ENV.map((value, index) => `NAME_${index}=${value}`).join('\n'))
    upstream = await startMessagesUpstream(({ body }, n) => answer(n, lastUserText(body)))
    served = startAspy([
      'serve',
      '--json',
      '--port',
      '0',
      '--proxy-port',
      '0',
      '--upstream',
      upstream.url,
      '--data',
      data.path,
    ])
    at = JSON.parse(await served.firstLine) as typeof at
    listen().catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error
    })
    run = await runClaude({
      baseUrl: at.proxy,
      prompt: spread(IN_PROMPT),
      home: home.path,
      env: {
        ANTHROPIC_API_KEY: IN_HEADERS[0] ?? '',
        ANTHROPIC_CUSTOM_HEADERS: IN_HEADERS.map((secret, index) => `x-own-${index}: ${secret}`).join('\n'),
      },
    })
    await until('both responses are recorded', async () => (await count('model_response')) === 2)
    await sendTrouble()
    spooled = await spool()
    await (await post('transcripts.import', JSON.stringify({ paths: [join(home.path, '.claude')] }))).text()
    await until('all is recorded', async () => (await count('error')) > 0 && (await count('model_response')) >= 6)
    leaving.abort()
  })
  afterAll(async () => {
    leaving.abort()
    served?.child.kill()
    await served?.finished
    await upstream?.close()
    home?.remove()
    data?.remove()
  })

  test('all of them did pass, untouched', () => {
    expect(run.exitCode).toBe(0)
    expect(ALL.length).toBeGreaterThan(400)
    expect(new Set(plantedSecrets('kinds').map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(40)
    const [first, second] = upstream.requests.filter(({ kind, agentId }) => kind === 'messages' && agentId === null)
    const blocks = second?.body?.messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content.flatMap(({ text }) => text ?? []) : [],
    )
    expect(blocks?.join('')).toBe(spread(IN_BLOCKS))
    const sent = [first, second].flatMap((request) => [
      { where: 'body', text: request?.bytes.toString('latin1') ?? '' },
      { where: 'headers', text: Object.values(request?.headers ?? {}).join('\n') },
      { where: 'blocks', text: blocks?.join('') ?? '' },
    ])
    const passed = new Set(findSecrets(sent, BY_CLIENT).map((found) => found.split(': ').slice(1).join(': ')))
    expect(BY_CLIENT.filter((secret) => !passed.has(secret))).toEqual([])
    expect(run.result?.result).toContain(IN_ANSWER.at(-1))
  })

  test('none is in any byte under the data folder, nor was any while it spooled', () => {
    expect(spooled).toEqual([])
    expect(secretsIn(data.path, ALL)).toEqual([])
  })

  test('none is in the feed, nor where deltas are put together again', () => {
    const text = feed.join('')
    expect(findSecrets([{ where: 'feed', text }], ALL)).toEqual([])
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
    expect(findSecrets(joined, ALL)).toEqual([])
  })

  test('what the API and the command line answer holds none', async () => {
    const answers = await Promise.all([
      post('events.list', JSON.stringify({ limit: 1000 })),
      post('errors.list', '{}'),
      post('recall.search', JSON.stringify({ query: 'number here', tools: true, limit: 100 })),
      post('hooks', spread(IN_HOOKS)),
    ])
    const texts = await Promise.all(
      answers.map(async (response) => ({ where: response.url, text: await response.text() })),
    )
    expect(texts[0]?.text).toContain('[redacted:')
    expect(findSecrets(texts, ALL)).toEqual([])
  })

  test('Health counts them by rule', async () => {
    await until('they are counted', async () => Object.keys((await health()).redacted).length > 40)
    expect((await health()).recorder).toBe('running')
  })

  test('the search finds what is there: one secret behind its back, in four forms', () => {
    const secret = IN_PROMPT[0] ?? ''
    const forms = [
      secret,
      Buffer.from(`x${secret}`).toString('base64'),
      encodeURIComponent(`<${secret}>`),
      secret.toLowerCase(),
    ]
    const paths = forms.map((_, index) => join(data.path, `behind-${index}.log`))
    paths.forEach((path, index) => writeFileSync(path, forms[index] ?? ''))
    const found = secretsIn(data.path, ALL)
    for (const path of paths) rmSync(path)
    expect(found.toSorted()).toEqual(forms.map((_, index) => `behind-${index}.log: ${secret}`))
  })

  test('the served process printed none, and left none when it ended', async () => {
    served.child.kill()
    said = await served.finished
    expect(findSecrets([{ where: 'output', text: said.stdout + said.stderr }], ALL)).toEqual([])
    expect(said.stdout).toContain('"ready":true')
    expect(secretsIn(data.path, ALL)).toEqual([])
  })
})
