import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { zstdDecompressSync } from 'node:zlib'
import { acceptWebSocket, type WebSocketPeer } from './web-socket-peer.ts'

type Fields = { readonly [name: string]: unknown }

/** A request as the upstream received it. */
export interface SeenCall {
  readonly transport: 'http' | 'websocket'
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** The body as sent; a message on a WebSocket. */
  readonly text: string
  readonly body: ResponsesBody | null
  /** Counts the upstream's connections. */
  readonly connection: number
}

export interface ResponsesBody {
  readonly model?: string
  readonly input?: readonly Fields[]
  readonly generate?: boolean
  readonly previous_response_id?: string
  readonly [name: string]: unknown
}

/** The upstream's answer. */
export interface ResponsesAnswer {
  readonly status?: number
  /** Body of an answer with an error status. */
  readonly error?: Fields
  readonly headers?: Readonly<Record<string, string>>
  /** Items of the output, without ids where they do not matter. */
  readonly output?: readonly Fields[]
  readonly usage?: Fields
  readonly model?: string
  readonly serviceTier?: string
  /** Ends with this event instead of `response.completed`. */
  readonly ending?: 'response.failed' | 'response.incomplete'
  /** Further fields of the last event's response. */
  readonly more?: Fields
  /** Events sent before the last one. */
  readonly events?: readonly Fields[]
  /** Closes the connection after this many events. */
  readonly cutAfter?: number
  /** Sends the events after the first four once this is released: the client sees an answer that has begun. */
  readonly hold?: Hold
}

/** A place in an answer where it waits. */
export interface Hold {
  /** Called when an answer has come to it. */
  reached(): void
  readonly released: Promise<void>
}

export interface ResponsesUpstream extends AsyncDisposable {
  /** http://127.0.0.1:PORT/v1 */
  readonly url: string
  /** All calls of the Responses API, in order. */
  readonly calls: readonly SeenCall[]
  /** All requests and upgrades, in order. */
  readonly requests: readonly { readonly method: string; readonly path: string }[]
  close(): Promise<void>
}

export interface ResponsesUpstreamOptions {
  /** Answers upgrades with 426 (the default), or accepts them with these parameters of permessage-deflate. */
  readonly websocket?: 'refuse' | 'plain' | 'permessage-deflate' | 'permessage-deflate; server_no_context_takeover'
  readonly frameBytes?: number
}

export const USAGE = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1050,
}

/** What a ChatGPT login asks for first, at the vendor's own address: where the workspace of its account is served. */
const ACCOUNTS = JSON.stringify({
  accounts: [
    { id: 'account-1', workspace_backend_origin: 'https://chatgpt.com', account_routing_override: 'NO_CONSTRAINT' },
  ],
})

/** Events before a hold: the answer, its first item and a piece of its text have begun. */
const BEGUN = 4

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

export const newId = (prefix: string): string => `${prefix}_${randomBytes(24).toString('hex')}`

export const message = (text: string): Fields => ({
  type: 'message',
  id: newId('msg'),
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
export const reasoning = (...summary: readonly string[]): Fields => ({
  type: 'reasoning',
  id: newId('rs'),
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: randomBytes(40).toString('base64'),
})
export const call = (name: string, input: unknown): Fields => ({
  type: 'function_call',
  id: newId('fc'),
  call_id: newId('call'),
  name,
  arguments: JSON.stringify(input),
})
export const patch = (text: string): Fields => ({
  type: 'custom_tool_call',
  id: newId('ctc'),
  call_id: newId('call'),
  name: 'apply_patch',
  input: text,
})
export const compaction = (): Fields => ({
  type: 'compaction',
  id: newId('cmp'),
  encrypted_content: randomBytes(60).toString('base64'),
})

/** The text of the last message of the user. */
export function lastUserText(body: ResponsesBody | null): string {
  const item = body?.input?.findLast(({ type, role }) => type === 'message' && role === 'user')
  return (item?.['content'] as readonly { text?: string }[] | undefined)?.map(({ text = '' }) => text).join('\n') ?? ''
}

/** A loopback server that imitates the Responses API as observed, over HTTP and over WebSocket. */
export async function startResponsesUpstream(
  script: (call: SeenCall, n: number) => ResponsesAnswer | Promise<ResponsesAnswer>,
  { websocket = 'refuse', frameBytes }: ResponsesUpstreamOptions = {},
): Promise<ResponsesUpstream> {
  const calls: SeenCall[] = []
  const requests: { method: string; path: string }[] = []
  const peers = new Set<WebSocketPeer>()
  let connections = 0

  const answerOf = async (seen: SeenCall): Promise<ResponsesAnswer> => {
    calls.push(seen)
    if (seen.body?.generate === false) return { output: [], usage: NO_USAGE }
    return script(seen, calls.filter(({ body }) => body?.generate !== false).length - 1)
  }

  const server = createServer({ keepAliveTimeout: 5000 }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(`the test's script failed: ${String(error)}`)
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks)
    const text = headers['content-encoding'] === 'zstd' ? unpacked(sent) : sent.toString()
    if (path.endsWith('/accounts/check')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(ACCOUNTS)
      return
    }
    if (!/\/responses(\/compact)?(\?|$)/.test(path)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}')
      return
    }
    const seen: SeenCall = {
      transport: 'http',
      method,
      path,
      headers,
      text,
      body: bodyOf(text),
      connection: (connections += 1),
    }
    const answer = await answerOf(seen)
    const status = answer.status ?? 200
    if (status >= 400) {
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-request-id': newId('req'),
        ...answer.headers,
      })
      response.end(JSON.stringify({ error: answer.error ?? { type: 'server_error', message: 'the upstream failed' } }))
      return
    }
    response.writeHead(status, { 'content-type': 'text/event-stream', 'x-request-id': newId('req'), ...answer.headers })
    for (const [index, event] of eventsOf(answer, seen.body).entries()) {
      await waitAt(index, answer)
      if (event === null) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        response.destroy()
        return
      }
      response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method: `${method} upgrade`, path })
    if (websocket === 'refuse') {
      // A proxy that is killed resets it.
      socket.on('error', () => socket.destroy())
      socket.end('HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      return
    }
    const connection = (connections += 1)
    const own = { 'x-request-id': newId('req') }
    const peer = acceptWebSocket(socket, headers['sec-websocket-key'] ?? '', own, {
      ...(websocket === 'plain' ? {} : { extension: websocket }),
      ...(frameBytes === undefined ? {} : { frameBytes }),
      onMessage(text) {
        void answerMessage(
          { transport: 'websocket', method, path, headers, text, body: bodyOf(text), connection },
          peer,
        )
      },
    })
    peers.add(peer)
    void peer.closed.then(() => peers.delete(peer))
  })

  async function answerMessage(seen: SeenCall, peer: WebSocketPeer): Promise<void> {
    const answer = await answerOf(seen)
    if ((answer.status ?? 200) >= 400) {
      const error = { type: 'error', status: answer.status, error: answer.error, headers: answer.headers ?? {} }
      await peer.send(JSON.stringify(error))
      return
    }
    for (const [index, event] of eventsOf(answer, seen.body).entries()) {
      await waitAt(index, answer)
      if (event === null) return peer.destroy()
      await peer.send(JSON.stringify(event))
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  const close = async () => {
    for (const peer of peers) peer.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${address.port}/v1`, calls, requests, close, [Symbol.asyncDispose]: close }
}

async function waitAt(index: number, { hold }: ResponsesAnswer): Promise<void> {
  if (index !== BEGUN || hold === undefined) return
  hold.reached()
  await hold.released
}

/** Empty if it cannot be unpacked. */
function unpacked(sent: Buffer): string {
  try {
    return zstdDecompressSync(sent, { maxOutputLength: 1 << 26 }).toString()
  } catch {
    return ''
  }
}

function bodyOf(text: string): ResponsesBody | null {
  try {
    return JSON.parse(text) as ResponsesBody
  } catch {
    return null
  }
}

/** The events of an answer, in order; null cuts the connection. */
function eventsOf(answer: ResponsesAnswer, body: ResponsesBody | null): (Fields | null)[] {
  const output = answer.output ?? [message('Done.')]
  const id = newId('resp')
  const response = { id, object: 'response', model: answer.model ?? body?.model ?? 'gpt-6-sol', status: 'in_progress' }
  const ending = answer.ending ?? 'response.completed'
  const last = {
    ...response,
    status: ending.slice('response.'.length),
    output,
    usage: answer.usage ?? USAGE,
    ...(answer.serviceTier === undefined ? {} : { service_tier: answer.serviceTier }),
    ...answer.more,
  }
  const events: Fields[] = [
    { type: 'response.created', response },
    ...output.flatMap((item, index) => eventsOfItem(item, index)),
    ...(answer.events ?? []),
    { type: ending, response: last },
  ]
  const numbered = events.map((event, sequence_number) => ({ ...event, sequence_number }))
  return answer.cutAfter === undefined ? numbered : [...numbered.slice(0, answer.cutAfter), null]
}

function eventsOfItem(item: Fields, output_index: number): Fields[] {
  const place = { output_index, item_id: item['id'] }
  const pieces = (text: string) => text.match(/[\s\S]{1,7}/g) ?? []
  const inner: Fields[] = []
  if (item['type'] === 'message') {
    const [part] = item['content'] as readonly { text: string }[]
    const at = { ...place, content_index: 0 }
    inner.push(
      { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '' } },
      ...pieces(part?.text ?? '').map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text: part?.text },
    )
  }
  if (item['type'] === 'reasoning') {
    for (const [summary_index, { text }] of (item['summary'] as readonly { text: string }[]).entries()) {
      const at = { ...place, summary_index }
      inner.push(
        { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
        ...pieces(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
        { type: 'response.reasoning_summary_text.done', ...at, text },
      )
    }
  }
  if (item['type'] === 'function_call') {
    inner.push({ type: 'response.function_call_arguments.delta', ...place, delta: item['arguments'] })
  }
  const announced = { ...item, content: [], summary: [], arguments: '', input: '' }
  return [
    { type: 'response.output_item.added', output_index, item: announced },
    ...inner,
    { type: 'response.output_item.done', output_index, item },
  ]
}
