import type { Agent, Response } from 'undici'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { z } from 'zod'
import { ERROR_STATUS, AspyError, fromErrorAnswer, type ErrorCode } from '../../shared/contract/errors.ts'
import { openProvenSocket, UnprovenError } from '../base/proven-socket.ts'
import { unproven } from '../base/running-app.ts'
import type { Dispatch } from './dispatch.ts'

export interface RemoteApp {
  /** `http://127.0.0.1:PORT` of a running app. */
  readonly appUrl: string
  /** The key with full access. */
  readonly token: string
}

const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/**
 * Dispatch of an app that runs in another process, over its HTTP API. The app proves itself on each connection before the
 * key or a body is sent.
 */
export function createRemoteDispatch({ appUrl, token }: RemoteApp): Dispatch {
  let agent: Agent | null = null

  async function post(name: string, input: unknown, accept: string, signal?: AbortSignal): Promise<Response> {
    // Loaded on demand: most commands read from the database, or end before they make a call.
    const undici = await import('undici')
    agent ??= new undici.Agent({ connect: proving(Number(new URL(appUrl).port), token) })
    const response = await undici
      .fetch(`${appUrl}/api/${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
        body: JSON.stringify(input ?? {}),
        redirect: 'error',
        dispatcher: agent,
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((error: unknown) => {
        if (signal?.aborted === true) throw new AspyError('cancelled', 'the call was cancelled', { cause: error })
        if (isUnproven(error)) throw unproven(error.cause.port)
        throw new AspyError('unreachable', `the app at ${appUrl} does not answer; start it again`, { cause: error })
      })
    if (!response.ok) throw toError(await response.text(), response.status)
    return response
  }

  return {
    async call(name, input, context) {
      const response = await post(name, input, 'application/json', context.signal)
      return new Uint8Array(await response.arrayBuffer())
    },
    async *stream(name, input, _context, signal) {
      const { body } = await post(name, input, 'text/event-stream', signal)
      if (body === null) return
      const encoder = new TextEncoder()
      const frames = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      try {
        for await (const { event, data, id } of frames) {
          if (event === 'end') return
          if (event === 'error') throw toError(data, 500)
          yield { json: encoder.encode(data), id: id === undefined ? null : Number(id) }
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

/** Returns how undici connects: with a proof first. */
function proving(port: number, key: string): NonNullable<Agent.Options['connect']> {
  return (_options, callback) => {
    openProvenSocket({ port, keyName: 'token', key }).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

function isUnproven(error: unknown): error is { readonly cause: UnprovenError } {
  return error instanceof Error && error.cause instanceof UnprovenError
}

function toError(body: string, status: number): AspyError {
  const parsed = errorBody.safeParse(parseJson(body))
  if (!parsed.success) return new AspyError('internal', `the app answered ${status}: ${body.slice(0, 200)}`)
  const { code, message } = parsed.data.error
  return fromErrorAnswer({ code: code in ERROR_STATUS ? (code as ErrorCode) : 'internal', message })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
