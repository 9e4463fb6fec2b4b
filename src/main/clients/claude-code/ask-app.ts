import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The way to the running app for commands that a client starts again and again and waits for: this file loads nothing but
 * what it needs of Node, and checks by hand what schemas check elsewhere.
 */

/** The app that serves a folder. */
interface AppThere {
  readonly port: number
  /** null: it has no proxy. */
  readonly proxyPort: number | null
  /** Whether it records now. */
  readonly isWell: boolean
}

/** The app that serves the folder, believed only if it answers with the id of its note; null: none runs. */
export async function findApp(dataDir: string, signal: AbortSignal): Promise<AppThere | null> {
  const file = join(dataDir, 'app.json')
  if (!existsSync(file)) return null
  const { id, ports } = fieldsOf(readFileSync(file, 'utf8'))
  const { app: port, proxy } = isRecord(ports) ? ports : {}
  if (typeof id !== 'string' || typeof port !== 'number') return null
  const health = fieldsOf(await send({ port, path: '/healthz', signal }))
  if (health['id'] !== id) return null
  return { port, proxyPort: typeof proxy === 'number' ? proxy : null, isWell: health['status'] === 'ok' }
}

interface Sending {
  readonly port: number
  readonly path: string
  readonly key?: string
  /** With a body it is a POST. */
  readonly body?: string
  readonly signal: AbortSignal
}

/** Asks the app; resolves with the body of a 200, rejects on any other answer. */
export async function send({ port, path, key, body, signal }: Sending): Promise<string> {
  // Half of what such a process costs, and for nothing where no app runs.
  const { request } = await import('node:http')
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    // No connection is kept: one that stays open would keep this process, and the client behind it, waiting.
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

/** A JSON object's fields; none where it is something else. Throws where it is no JSON. */
export function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
