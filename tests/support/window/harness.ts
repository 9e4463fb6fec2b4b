/**
 * Serves a built window with generated data, to view it without the rest of the app:
 * `node tests/support/window/harness.ts FOLDER [PORT] [full|empty|signed-out]`.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import { answerOperation } from './harness-answers.ts'
import { quietBatches } from './harness-live.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export type HarnessMode = 'full' | 'empty' | 'signed-out'

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function stream(response: ServerResponse, batches: Iterator<LiveBatch | null>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': open\n\n')
  const timer = setInterval(() => {
    const batch = batches.next()
    if (batch.done !== true && batch.value) response.write(`data: ${JSON.stringify(batch.value)}\n\n`)
  }, 100)
  response.on('close', () => clearInterval(timer))
}

export interface HarnessOptions {
  /** The built window; `out/renderer` by default. */
  readonly folder?: string
  readonly port?: number
  readonly mode?: HarnessMode
  /** Batches for each reader of the live feed, one every 100 ms; null sends nothing this time. */
  readonly live?: (() => Iterator<LiveBatch | null>) | undefined
}

/** Starts the harness. Resolves to its address and a function that stops it. */
export async function startWindowHarness({
  folder = join(import.meta.dirname, '../../../out/renderer'),
  port = 0,
  mode = 'full',
  live = () => (mode === 'full' ? quietBatches() : [].values()),
}: HarnessOptions = {}): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname.startsWith('/api/') && mode === 'signed-out') {
      return sendJson(response, 401, { error: { code: 'unauthorized', message: 'no key' } })
    }
    if (pathname === '/api/live.subscribe') return stream(response, live())
    if (pathname === '/login') return sendJson(response, 200, {})
    if (pathname.startsWith('/api/')) {
      try {
        return sendJson(response, 200, answerOperation(pathname.slice(5), await bodyOf(request), mode))
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return sendJson(response, 404, { error: { code: 'not_found', message } })
      }
    }
    const file = extname(pathname) === '' ? 'index.html' : pathname
    try {
      const body = await readFile(join(folder, file))
      const type = TYPES[extname(file)] ?? 'application/octet-stream'
      // As the app sends them: a browser keeps what it has compiled only of files that it may keep.
      const kept = file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      response.writeHead(200, { 'content-type': type, 'cache-control': kept }).end(body)
    } catch {
      response.writeHead(404).end('not found')
    }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

if (import.meta.main) {
  const [folder = 'out/renderer', port = '0', mode = 'full'] = process.argv.slice(2)
  const { url } = await startWindowHarness({ folder, port: Number(port), mode: mode as HarnessMode })
  console.log(url)
}
