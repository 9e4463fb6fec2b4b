import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { BridgeAnswer } from '../../shared/bridge.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'

const UNREACHABLE: ErrorAnswer = {
  code: 'unreachable',
  message: 'Aspy is not responding. Check that it is running, or start it again.',
}

/** Returns the error of a response that is not 2xx, from its body or else from its status. */
async function errorOf(response: Response): Promise<ErrorAnswer> {
  try {
    const body = (await response.json()) as { error?: Partial<ErrorAnswer> }
    if (body.error?.code !== undefined && body.error.message !== undefined)
      return { code: body.error.code, message: body.error.message }
  } catch {
    // Not JSON: another server is listening on this port, so only the status is known.
  }
  return {
    code: response.status === 401 ? 'unauthorized' : 'internal',
    message: `The server responded with ${response.status} ${response.statusText}`.trim(),
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

/** Runs an operation as `POST /api/<name>` with the session cookie. Rejects only when aborted. */
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
 * Runs a stream operation over HTTP as server-sent events and passes each event's data to `onBatch`. Resolves when the
 * server ends the stream, with null or the error it sent.
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
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return null
      if (value.event === 'error') return (JSON.parse(value.data) as { error: ErrorAnswer }).error
      if (value.data !== '') onBatch(value.data)
    }
  } catch (error) {
    // The browser's own error: the connection broke.
    if (error instanceof TypeError && !signal.aborted) return UNREACHABLE
    throw error
  }
}

/** Returns true if an app answers at this address. Anybody may ask, so no cookie is sent. */
export async function answersHealth(): Promise<boolean> {
  try {
    const response = await fetch('/healthz', { credentials: 'omit', cache: 'no-store' })
    return response.ok
  } catch {
    // Nothing listens there.
    return false
  }
}

/** Exchanges the key of the printed link for a session cookie. Returns false if the server rejects the key. */
export async function exchangeKey(key: string): Promise<boolean> {
  const response = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
    credentials: 'same-origin',
  })
  return response.ok
}
