import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Requests to the running app from commands that a client starts often and waits for. To start fast, this file loads only
 * what it needs from Node and validates by hand instead of with schemas.
 */

/** The app that serves a folder. */
interface ReachableApp {
  readonly port: number
  /** null if it has no proxy. */
  readonly proxyPort: number | null
  /** True while it records. */
  readonly isRecording: boolean
}

/** Finds the app that serves a folder; null if none is running. It must answer with the ID in `app.json`. */
export async function findApp(dataDir: string, signal: AbortSignal): Promise<ReachableApp | null> {
  const file = join(dataDir, 'app.json')
  if (!existsSync(file)) return null
  const { id, ports } = fieldsOf(readFileSync(file, 'utf8'))
  const { app: port, proxy } = isRecord(ports) ? ports : {}
  if (typeof id !== 'string' || typeof port !== 'number') return null
  const health = fieldsOf(await send({ port, path: '/healthz', signal }))
  if (health['id'] !== id) return null
  return { port, proxyPort: typeof proxy === 'number' ? proxy : null, isRecording: health['status'] === 'ok' }
}

interface Sending {
  readonly port: number
  readonly path: string
  readonly key?: string
  /** Sent as a POST; without a body, the request is a GET. */
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends a request to the app. Resolves with the body of a 200; rejects on any other status. */
export async function send({ port, path, key, body, signal }: Sending): Promise<string> {
  // Loaded on demand: node:http is half of this process's startup cost, and not needed if no app is running.
  const { request } = await import('node:http')
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    // No keep-alive: an open connection would keep this process, and the client that waits for it, running.
    const sent = request({ host: '127.0.0.1', port, path, method, headers, signal, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk)).on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
      )
    })
    sent.on('error', reject).end(body)
  })
}

/** Parses a JSON object and returns its fields; {} for any other value. Throws if the text is not JSON. */
export function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
