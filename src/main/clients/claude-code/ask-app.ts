import { join } from 'node:path'
import { readPrivateFile } from '../../base/private-file.ts'
import { findRunningNote } from '../../base/running-note.ts'
import { isObject } from '../../../shared/json-fields.ts'

/**
 * Requests to the running app from commands that a client starts often and waits for. To start fast, this file loads only
 * what it needs from Node and validates by hand instead of with schemas.
 */

/** The app that a data folder names. It proves itself on every connection. */
export interface AppToAsk {
  readonly dataDir: string
  readonly port: number
  /** null if it has no proxy. */
  readonly proxyPort: number | null
}

/** Finds the app that serves a folder; null if none is running. */
export function findApp(dataDir: string): AppToAsk | null {
  const note = findRunningNote(dataDir)
  return note === null ? null : { dataDir, port: note.ports.app, proxyPort: note.ports.proxy }
}

interface Sending {
  readonly app: AppToAsk
  readonly path: string
  /** Name of the key to send. A hook has only its own, which grants access to hooks only. */
  readonly keyName: 'hooks' | 'token'
  /** Sent as a POST; without a body, the request is a GET. */
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * Sends a request to the app, once it has proved on the same connection that it knows the key. Resolves with the body of a
 * 200; rejects on any other status, and if the proof is missing or wrong.
 */
export async function send({ app: { dataDir, port }, path, keyName, body, signal }: Sending): Promise<string> {
  const key = readPrivateFile(join(dataDir, keyName))?.toString('utf8').trim() ?? ''
  if (key === '') throw new Error(`${keyName} does not exist`)
  // Loaded on demand: node:http is half of this process's startup cost, and not needed if no app is running.
  const { openProvenSocket } = await import('../../base/proven-socket.ts')
  const socket = await openProvenSocket({ port, keyName, key, signal })
  const { request } = await import('node:http')
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const answered = new Promise<string>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    // Used only if no agent is named: with one, even `false`, the request would open another connection.
    const createConnection = () => socket
    const at = { host: '127.0.0.1', port, path, method, headers, signal, createConnection } as const
    const sent = request(at, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk)).on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
      )
    })
    sent.on('error', reject).end(body)
  })
  // An open connection would keep this process, and the client that waits for it, running.
  return answered.finally(() => socket.destroy())
}

/** Parses a JSON object and returns its fields; {} for any other value. Throws if the text is not JSON. */
export function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  return isObject(value) ? value : {}
}
