import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { jsonOrNull, isObject } from '../../shared/json-fields.ts'
import { ERROR_STATUS, AspyError, fromErrorAnswer, type ErrorCode } from '../../shared/contract/errors.ts'
import { openProvenSocket, UnprovenError } from '../base/proven-socket.ts'
import { unproven } from '../base/running-app.ts'
import type { Dispatch } from './dispatch.ts'

/** Not imported: an import of this module reads all its exports, and so loads its undici, a third of a command's time. */
const { Agent, request } = process.getBuiltinModule('node:http')

export interface RemoteApp {
  /** `http://127.0.0.1:PORT` of a running app. */
  readonly appUrl: string
  /** The key with full access. */
  readonly token: string
}

/**
 * Dispatch of an app that runs in another process, over its HTTP API. The app proves itself on each connection before the
 * key or a body is sent.
 */
export function createRemoteDispatch({ appUrl, token }: RemoteApp): Dispatch {
  const port = Number(new URL(appUrl).port)
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = (_options, callback) => {
    openProvenSocket({ port, keyName: 'token', key: token }).then(
      (socket) => callback?.(null, socket),
      (error: unknown) => callback?.(error instanceof Error ? error : new Error(String(error)), new Socket()),
    )
    return undefined
  }

  async function post(name: string, input: unknown, accept: string, signal?: AbortSignal): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
    const sent = request(`${appUrl}/api/${encodeURIComponent(name)}`, { method: 'POST', headers, agent, signal })
    sent.end(JSON.stringify(input ?? {}))
    try {
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      if ((response.statusCode ?? 0) < 300) return response
      throw toError(await text(response), response.statusCode ?? 0)
    } catch (error) {
      if (error instanceof AspyError) throw error
      if (signal?.aborted === true) throw new AspyError('cancelled', 'the call was cancelled', { cause: error })
      if (error instanceof UnprovenError) throw unproven(error.port)
      throw new AspyError('unreachable', `the app at ${appUrl} does not answer; start it again`, { cause: error })
    }
  }

  return {
    async call(name, input, context) {
      return buffer(await post(name, input, 'application/json', context.signal))
    },
    async *stream(name, input, _context, signal) {
      const body = Readable.toWeb(await post(name, input, 'text/event-stream', signal))
      const encoder = new TextEncoder()
      // Most commands read no stream.
      const { EventSourceParserStream } = await import('eventsource-parser/stream')
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

function toError(body: string, status: number): AspyError {
  const answer = jsonOrNull(body)
  const { code, message } = isObject(answer) && isObject(answer['error']) ? answer['error'] : {}
  if (typeof code !== 'string' || typeof message !== 'string')
    return new AspyError('internal', `the app answered ${status}: ${body.slice(0, 200)}`)
  return fromErrorAnswer({ code: code in ERROR_STATUS ? (code as ErrorCode) : 'internal', message })
}
