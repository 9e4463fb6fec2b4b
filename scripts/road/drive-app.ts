/**
 * Runs the app of another checkout in this process with an upstream, a client and the window's live feed, and counts the
 * calls during windows of equal length: idle ones and ones with an exchange. Prints the measurements as JSON.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { BroadcastChannel } from 'node:worker_threads'
import { CHANNEL, sharedNow, type Calls, type Command } from './observe-thread.ts'

export interface Measurement {
  readonly isIdle: boolean
  readonly threads: readonly Calls[]
}

/** The part of the app that this script uses, whose types may differ between checkouts. */
interface AppModule {
  createApp(options: object): {
    start(): Promise<{ readonly proxy: string; readonly app: string; readonly token: string }>
    stop(): Promise<void>
    health(): Promise<{ readonly exchanges_recorded: number; readonly recorder: string }>
  }
}
interface Feed {
  getSnapshot(): { readonly received: number; readonly status: string }
}

const WINDOW_MS = 6000
const WINDOWS = 3
/** Exchanges before the first measurement, so that nothing is loaded for the first time in it. */
const WARM_UP = 3

const root = process.argv[2] ?? ''
const sources = join(root, 'src')
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })

/** Imports a module by its file name, since folders differ between checkouts. */
async function load<T>(name: string, exported: string): Promise<T> {
  for (const file of files.filter((path) => basename(path) === name)) {
    const module = (await import(pathToFileURL(join(sources, file)).href)) as Record<string, unknown>
    if (exported in module) return module as T
  }
  throw new Error(`no ${name} in ${sources} exports ${exported}`)
}

const sse = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** A streamed response: thinking, then text. */
function* answer(id: string): Generator<string> {
  const usage = { input_tokens: 12, cache_read_input_tokens: 900, cache_creation_input_tokens: 30, output_tokens: 1 }
  const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [], usage }
  yield sse('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } })
  const blocks = [
    [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: `Let me see about ${id}. ` },
    ],
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: `The answer to it is ${id}. ` },
    ],
  ] as const
  for (const [index, [block, delta]] of blocks.entries()) {
    yield sse('content_block_start', { index, content_block: block })
    for (let piece = 0; piece < 5; piece += 1) yield sse('content_block_delta', { index, delta })
    yield sse('content_block_stop', { index })
  }
  yield sse('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 40 } })
  yield sse('message_stop', {})
}

let answered = 0
const upstream = createServer((request, response) => {
  request.resume().on('end', async () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${answered}` })
    for (const event of answer(`msg_road${(answered += 1)}`)) {
      response.write(event)
      await pause(15)
    }
    response.end()
  })
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))

const data = mkdtempSync(join(tmpdir(), 'aspy-road-'))
const { createApp } = await load<AppModule>('app.ts', 'createApp')
const { loadConfig } = await load<{ loadConfig(options: object): object }>('load-config.ts', 'loadConfig')
const { default: pino } = await import('pino')
const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
const app = createApp({
  dataDir: data,
  config: loadConfig({
    file: join(data, 'config.toml'),
    flags: { 'proxy.port': 0, 'app.port': 0, 'proxy.upstream': upstreamUrl },
  }),
  version: '0.0.0-road',
  windowDir: join(root, 'out/renderer'),
  logger: pino({ level: 'silent' }),
})
const started = await app.start()

const history: object[] = []
const session = '0d5e0f3c-7a31-4c5e-9a53-3d0e7c1a2b4f'

/** Sends the next request of the session, as the client does: with the whole conversation so far. */
async function exchange(): Promise<void> {
  history.push({ role: 'user', content: [{ type: 'text', text: `What about number ${history.length}?` }] })
  const response = await fetch(`${started.proxy}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
      'anthropic-version': '2023-06-01',
      'x-claude-code-session-id': session,
    },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 1024,
      stream: true,
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session }) },
      system: [{ type: 'text', text: "You are Claude Code, Anthropic's official CLI for Claude." }],
      tools: [{ name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object', properties: {} } }],
      messages: history,
    }),
  })
  await response.text()
  history.push({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: `Let me see about msg_road${answered}. `.repeat(5), signature: '' },
      { type: 'text', text: `The answer to it is msg_road${answered}. `.repeat(5) },
    ],
  })
}

/** Connects the window's own live store over HTTP, with a page's relative addresses resolved against the app. */
async function openLiveStore(): Promise<{ readonly feed: Feed; readonly close: () => void }> {
  const overNetwork = globalThis.fetch
  const fromPage: typeof fetch = (input, init) => {
    if (typeof input !== 'string' || !input.startsWith('/')) return overNetwork(input, init)
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${started.token}`)
    return overNetwork(`${started.app}${input}`, { ...init, headers })
  }
  Object.assign(globalThis, { window: {}, fetch: fromPage })
  // Checkouts up to c15d651 call the window's store a feed.
  const isStore = files.some((file) => basename(file) === 'live-store.ts')
  const noun = isStore ? 'LiveStore' : 'LiveFeed'
  const connection = await loadRenderer<Record<string, (feed: Feed) => () => void>>('live-connection.ts')
  const stores = await loadRenderer<Record<string, () => Feed>>(isStore ? 'live-store.ts' : 'live-feed.ts')
  const [connect, create] = [connection[`connect${noun}`], stores[`create${noun}`]]
  if (connect === undefined || create === undefined) throw new Error(`the window of ${root} has no ${noun}`)
  const feed = create()
  return { feed, close: connect(feed) }
}

/** Imports a module of the renderer, whose name one of main's may share. */
async function loadRenderer<T>(name: string): Promise<T> {
  const file = files.find((path) => path.startsWith('renderer') && basename(path) === name)
  if (file === undefined) throw new Error(`no ${name} in the renderer of ${root}`)
  return (await import(pathToFileURL(join(sources, file)).href)) as T
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting: ${what}`)
    await pause(50)
  }
}

const channel = new BroadcastChannel(CHANNEL)
let replies: Calls[] = []
channel.addEventListener('message', (event: unknown) => {
  const message = (event as { readonly data: Calls }).data
  if (message.type === 'calls') replies.push(message)
})

async function measure(isIdle: boolean): Promise<Measurement> {
  replies = []
  channel.postMessage({ type: 'start', at: sharedNow() } satisfies Command)
  const over = pause(WINDOW_MS)
  if (!isIdle) await exchange()
  await over
  channel.postMessage({ type: 'stop' } satisfies Command)
  await pause(500)
  return { isIdle, threads: replies }
}

try {
  await until('the recorder runs', async () => (await app.health()).recorder === 'running')
  const { feed, close } = await openLiveStore()
  for (let sent = 1; sent <= WARM_UP; sent += 1) {
    const before = feed.getSnapshot().received
    await exchange()
    await until('an exchange is recorded', async () => (await app.health()).exchanges_recorded >= sent)
    await until('the live store has it', () => feed.getSnapshot().received > before)
  }
  await pause(2000)
  const measurements: Measurement[] = []
  for (let round = 0; round < WINDOWS; round += 1) {
    measurements.push(await measure(true), await measure(false))
    await until('the measured exchange is recorded', async () => {
      return (await app.health()).exchanges_recorded >= WARM_UP + round + 1
    })
  }
  close()
  process.stdout.write(JSON.stringify(measurements))
} finally {
  await app.stop()
  channel.close()
  upstream.close()
  upstream.closeAllConnections()
  rmSync(data, { recursive: true, force: true })
}
