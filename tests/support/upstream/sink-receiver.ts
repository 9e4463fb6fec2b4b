import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from '../runner/free-port.ts'

/** A delivery that a receiver got. */
export interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly json: unknown
}

/** A receiver's response; 204 by default. */
export type Manner = (received: Received, response: ServerResponse, n: number) => void | Promise<void>

/** A server that receives deliveries as a test needs. Its port stays reserved while it is down. */
export interface SinkReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** Changes how it responds from now on. */
  behave(manner: Manner): void
  /** Stops listening and closes open connections. */
  vanish(): Promise<void>
  /** Listens on the same port again. */
  comeBack(): Promise<void>
}

export const takes: Manner = (_, response) => void response.writeHead(204).end()
export const answers =
  (status: number, headers: Record<string, string> = {}): Manner =>
  (_, response) =>
    void response.writeHead(status, headers).end('{"error":"no"}')
/** Never responds. */
export const hangs: Manner = () => undefined
/** Responds successfully with an endless body. */
export const floods: Manner = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write).on('error', () => response.destroy())
  write()
}

export async function startSinkReceiver(first: Manner = takes): Promise<SinkReceiver> {
  const received: Received[] = []
  let manner = first
  let server: Server = createServer(serve)
  const port = await freePort()

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const one = { path: incoming.url ?? '/', headers: incoming.headers, body, json: parsed(body) }
    received.push(one)
    await manner(one, response, received.length - 1)
  }

  async function listen(): Promise<void> {
    server = createServer((incoming, response) => {
      // Clients may disconnect mid-request.
      serve(incoming, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  async function vanish(): Promise<void> {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  await listen()
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    behave: (next) => void (manner = next),
    vanish,
    comeBack: listen,
    [Symbol.asyncDispose]: vanish,
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
