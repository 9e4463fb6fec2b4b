import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The way of a command hook: a client waits for it, and it is started anew each time, so that this file loads nothing
 * but what it needs of Node and checks by hand what schemas check elsewhere.
 */

interface HookPass {
  /** What the client wrote to the hook's stdin. */
  readonly body: string
  readonly dataDir: string
  readonly signal: AbortSignal
}

/**
 * Posts a hook of Claude Code to the running app. Resolves with what the hook prints: where a session goes on after a
 * compaction, a pointer for its model; else nothing. Where no app runs nothing happens. Rejects when the app does not
 * answer as it should, or when `signal` aborts.
 */
export async function passHookOn({ body, dataDir, signal }: HookPass): Promise<string> {
  const port = await runningPort(dataDir, signal)
  if (port === null) return ''
  const { hook_event_name: event, session_id, source: start } = fieldsOf(body)
  const key = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim()
  const posted = send({ port, path: '/api/hooks', key: key('hooks'), body, signal })
  if (event !== 'SessionStart' || (start !== 'compact' && start !== 'resume')) {
    await posted
    return ''
  }
  const asked = JSON.stringify({ session_id, start })
  const [, answer] = await Promise.all([
    posted,
    send({ port, path: '/api/notices.session_start', key: key('token'), body: asked, signal }),
  ])
  const { text } = fieldsOf(answer)
  if (typeof text !== 'string' || text === '') return ''
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } })}\n`
}

/** The port of the app that serves the folder, believed only if it answers with the id of its note; null: none runs. */
async function runningPort(dataDir: string, signal: AbortSignal): Promise<number | null> {
  const file = join(dataDir, 'app.json')
  if (!existsSync(file)) return null
  const { id, ports } = fieldsOf(readFileSync(file, 'utf8'))
  const port = isRecord(ports) ? ports['app'] : null
  if (typeof id !== 'string' || typeof port !== 'number') return null
  return fieldsOf(await send({ port, path: '/healthz', signal }))['id'] === id ? port : null
}

interface Sending {
  readonly port: number
  readonly path: string
  readonly key?: string
  /** With a body it is a POST. */
  readonly body?: string
  readonly signal: AbortSignal
}

async function send({ port, path, key, body, signal }: Sending): Promise<string> {
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

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
