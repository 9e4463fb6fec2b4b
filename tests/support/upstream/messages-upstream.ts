import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress } from 'node:zlib'
import { type Answer, type Piece, streamedPieces, wholePieces } from './messages-answer.ts'

/** A request as the upstream received it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  /** Raw bytes of the body. */
  readonly bytes: Buffer
  /** The parsed body; null if it is not a JSON object. */
  readonly body: MessagesBody | null
  /** Only `messages` requests go to the script. */
  readonly kind: 'messages' | 'side_call' | 'probe' | 'count_tokens' | 'other'
  /** `x-claude-code-agent-id`: set on a subagent's requests. */
  readonly agentId: string | null
  readonly sessionId: string | null
  /** Set when the response has ended: complete, or cut off and by whom. */
  ended: 'whole' | 'client' | 'upstream' | null
  /** Times by this machine's clock, in milliseconds: its arrival, its end; null while it is answered. */
  readonly cameAt: number
  endedAt: number | null
  /** The id of the message that answered it. */
  readonly messageId: string
  /** When each call of a tool was written, by its id. */
  readonly calls: Map<string, number>
}

/** The part of a Messages API body that scripts use. */
export interface MessagesBody {
  readonly model: string
  readonly stream?: boolean
  readonly max_tokens?: number
  readonly messages: readonly { readonly role: string; readonly content: string | readonly ContentBlock[] }[]
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string }[]
  readonly output_config?: { readonly format?: unknown }
  readonly [key: string]: unknown
}
interface ContentBlock {
  readonly type: string
  readonly text?: string
  readonly [key: string]: unknown
}

/** Answers the n-th request (from 0) of an agent; `agentId` is null for the main agent. */
export type Script = (request: SeenRequest, n: number) => Answer | Promise<Answer>

export interface MessagesUpstream extends AsyncDisposable {
  /** http://127.0.0.1:PORT */
  readonly url: string
  /** All requests in order. */
  readonly requests: readonly SeenRequest[]
  /** Number of requests served by kind. */
  count(kind: SeenRequest['kind']): number
  /** Releases the hold with this name, now and in later responses. */
  release(name: string): void
  /**
   * Resolves when a response has reached the hold with this name. What it resolves to releases and forgets the hold: a
   * test that fails meanwhile leaves no answer behind that never ends, and its second attempt is held again.
   */
  held(name: string): Promise<Disposable>
  close(): Promise<void>
}

/** Returns the text of the last user message that is not a tool result, for scripts to decide by. */
export function lastUserText(body: MessagesBody | null): string {
  for (const message of body?.messages.toReversed() ?? []) {
    if (message.role !== 'user') continue
    if (typeof message.content === 'string') return message.content
    const texts = message.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
    if (texts.length > 0) return texts.join('\n')
  }
  return ''
}

/** A loopback server that imitates the Messages API as observed. */
export async function startMessagesUpstream(script: Script): Promise<MessagesUpstream> {
  const requests: SeenRequest[] = []
  const answered = new Map<string | null, number>()
  const holds = new Map<string, { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> }>()
  const hold = (name: string) => {
    const known = holds.get(name) ?? {
      reached: Promise.withResolvers<void>(),
      released: Promise.withResolvers<void>(),
    }
    holds.set(name, known)
    return known
  }

  const server = createServer({ keepAliveTimeout: 5_000 }, (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      // A script that throws is a bug in the test: send the error to the client, so that the test fails visibly.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end(`the test's script failed: ${String(error)}`)
    })
  })

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const cameAt = now()
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request = seen(incoming, Buffer.concat(chunks), cameAt)
    requests.push(request)
    response.on('close', () => {
      request.ended ??= response.writableFinished ? 'whole' : 'client'
      request.endedAt ??= now()
    })
    const answer = standing(request) ?? (await script(request, nextNumber(request.agentId)))
    await write(request, response, { messageId: request.messageId, ...answer })
  }

  function nextNumber(agentId: string | null): number {
    const n = answered.get(agentId) ?? 0
    answered.set(agentId, n + 1)
    return n
  }

  async function write(request: SeenRequest, response: ServerResponse, answer: Answer): Promise<void> {
    const status = answer.status ?? 200
    const streamed = status < 300 && request.kind !== 'count_tokens' && request.body?.stream === true
    const pieces = bodyPieces(request, answer, streamed)
    response.writeHead(status, {
      'content-type': streamed ? 'text/event-stream; charset=utf-8' : 'application/json',
      'request-id': `req_01${randomBytes(11).toString('hex')}`,
      'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
      'anthropic-ratelimit-requests-limit': '4000',
      'anthropic-ratelimit-requests-remaining': '3999',
      ...(answer.encoding ? { 'content-encoding': answer.encoding } : {}),
      ...answer.headers,
    })
    if (request.method === 'HEAD') return void response.end()
    const out = compressor(answer.encoding)
    out?.pipe(response)
    const sink = out ?? response
    for (const piece of pieces) {
      if (response.destroyed) return
      if (piece.kind === 'hold') {
        response.flushHeaders()
        hold(piece.name).reached.resolve()
        await Promise.race([hold(piece.name).released.promise, once(response, 'close')])
      } else if (piece.kind === 'cut') {
        // Flushes the bytes so far before the connection closes.
        await new Promise((resolve) => setTimeout(resolve, 50))
        request.ended = 'upstream'
        request.endedAt = now()
        response.destroy()
        return
      } else {
        noteCall(request, piece)
        await put(sink, bytesOf(piece), answer.writeBytes)
      }
    }
    request.endedAt = now()
    sink.end()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    count: (kind) => requests.filter((request) => request.kind === kind).length,
    release: (name) => hold(name).released.resolve(),
    held: async (name) => {
      const { reached, released } = hold(name)
      await reached.promise
      return {
        [Symbol.dispose]: () => {
          released.resolve()
          holds.delete(name)
        },
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const now = () => performance.timeOrigin + performance.now()

function noteCall(request: SeenRequest, piece: Piece): void {
  if (piece.kind !== 'event' || piece.type !== 'content_block_start') return
  const { content_block: block } = piece.data as { content_block?: ContentBlock }
  if (block?.type === 'tool_use') request.calls.set(String(block['id']), now())
}

function seen(incoming: IncomingMessage, bytes: Buffer, cameAt: number): SeenRequest {
  const headers: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
  const path = incoming.url ?? '/'
  const body = parsed(bytes)
  return {
    method: incoming.method ?? 'GET',
    path,
    headers,
    bytes,
    body,
    kind: kindOf(incoming.method ?? 'GET', path, headers, body),
    agentId: headers['x-claude-code-agent-id'] ?? null,
    sessionId: headers['x-claude-code-session-id'] ?? null,
    ended: null,
    cameAt,
    endedAt: null,
    messageId: `msg_01${randomBytes(12).toString('hex')}`,
    calls: new Map(),
  }
}

function parsed(bytes: Buffer): MessagesBody | null {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null && 'messages' in value ? (value as MessagesBody) : null
  } catch {
    return null
  }
}

function kindOf(
  method: string,
  path: string,
  headers: { readonly [name: string]: string },
  body: MessagesBody | null,
): SeenRequest['kind'] {
  if (path.startsWith('/v1/messages/count_tokens')) return 'count_tokens'
  if (method !== 'POST' || !path.startsWith('/v1/messages') || body === null) return 'other'
  if (body.max_tokens === 1) return 'probe'
  // Requests written by tests have no session; only the real client makes side calls.
  if (!headers['x-claude-code-session-id'] || headers['x-claude-code-agent-id']) return 'messages'
  return body.output_config?.format !== undefined ? 'side_call' : 'messages'
}

/** Returns a response that needs no script, or null. */
function standing(request: SeenRequest): Answer | null {
  switch (request.kind) {
    case 'messages':
      return null
    case 'side_call':
      return { steps: [{ text: '{"title":"A small task"}' }], usage: { input_tokens: 30, output_tokens: 8 } }
    case 'probe':
      return { steps: [{ text: '#' }], usage: { input_tokens: 8, output_tokens: 1 }, stopReason: 'max_tokens' }
    case 'count_tokens':
      return {}
    case 'other':
      return request.method === 'HEAD'
        ? {}
        : { status: 404, error: { type: 'not_found_error', message: `no such route: ${request.path}` } }
  }
}

function bodyPieces(request: SeenRequest, answer: Answer, streamed: boolean): Piece[] {
  if (request.kind === 'count_tokens')
    return [{ kind: 'raw', text: JSON.stringify({ input_tokens: Math.ceil(request.bytes.length / 4) }) }]
  const model = request.body?.model ?? 'unknown'
  if ((answer.status ?? 200) < 300) return streamed ? streamedPieces(answer, model) : wholePieces(answer, model)
  return [{ kind: 'raw', text: JSON.stringify({ type: 'error', error: answer.error ?? null }) }]
}

const bytesOf = (piece: Extract<Piece, { kind: 'event' | 'raw' }>) =>
  Buffer.from(piece.kind === 'raw' ? piece.text : `event: ${piece.type}\ndata: ${JSON.stringify(piece.data)}\n\n`)

async function put(sink: NodeJS.WritableStream, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) {
    const more = sink.write(bytes.subarray(at, at + Math.max(1, size)))
    // Sends each piece separately, so that readers receive it separately.
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve))
    if (!more) await Promise.race([once(sink, 'drain'), once(sink, 'close')])
  }
}

/** Compresses with a flush after each write, as a streaming server does. */
function compressor(encoding: Answer['encoding']) {
  switch (encoding) {
    case 'gzip':
      return createGzip({ flush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createDeflate({ flush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return createZstdCompress({ flush: constants.ZSTD_e_flush })
    case undefined:
      return null
  }
}
