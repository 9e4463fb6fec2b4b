import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { BridgeAnswer } from '../../shared/bridge.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'

const UNREACHABLE: ErrorAnswer = {
  code: 'internal',
  message: 'Aspy does not answer. Start it with `npm start`, or see whether it still runs.',
}

/** The error of an answer that is not 2xx, as its body tells it, else by its status. */
async function errorOf(response: Response): Promise<ErrorAnswer> {
  try {
    const body = (await response.json()) as { error?: Partial<ErrorAnswer> }
    if (body.error?.code !== undefined && body.error.message !== undefined) {
      return { code: body.error.code, message: body.error.message }
    }
  } catch {
    // Not JSON: some other server stands on this port, the status is all there is to tell.
  }
  return {
    code: response.status === 401 ? 'unauthorized' : 'internal',
    message: `The server answered ${response.status} ${response.statusText}`.trim(),
  }
}

function post(name: string, input: unknown, accept: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(input),
    credentials: 'same-origin',
    ...(signal ? { signal } : {}),
  })
}

/** One operation as `POST /api/<name>`, with the session cookie. Rejects only when aborted. */
export async function callOverHttp(name: string, input: unknown, signal?: AbortSignal): Promise<BridgeAnswer> {
  let response: Response
  try {
    response = await post(name, input, 'application/json', signal)
  } catch (error) {
    if (signal?.aborted) throw error
    return { ok: false, error: UNREACHABLE }
  }
  if (!response.ok) return { ok: false, error: await errorOf(response) }
  return { ok: true, json: await response.text() }
}

/**
 * A stream operation over HTTP as server-sent events; `onBatch` gets each one's data. Resolves when the server ends it:
 * null, or the error it named.
 */
export async function streamOverHttp(
  name: string,
  input: unknown,
  signal: AbortSignal,
  onBatch: (json: string) => void,
): Promise<ErrorAnswer | null> {
  let response: Response
  try {
    response = await post(name, input, 'text/event-stream', signal)
  } catch {
    return UNREACHABLE
  }
  if (!response.ok) return errorOf(response)
  if (!response.body) return null
  const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = messages.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return null
    if (value.event === 'error') return (JSON.parse(value.data) as { error: ErrorAnswer }).error
    if (value.data !== '') onBatch(value.data)
  }
}

/** Trades the key of the printed link for a session cookie; false: the server does not know the key. */
export async function tradeKey(key: string): Promise<boolean> {
  const response = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
    credentials: 'same-origin',
  })
  return response.ok
}
