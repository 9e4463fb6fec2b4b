import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { flatHeaders, requestHeaders, responseHeaders } from '../forwarded-headers.ts'
import type { ForwardingContext } from '../forwarding.ts'
import type { GatedRequest } from '../gate.ts'
import { messagesErrorBody, type MessagesError } from '../messages-error.ts'
import { readRequestPath } from '../request-path.ts'
import { upstreamFailure } from '../upstream-failure.ts'
import type { Upstream } from '../upstream.ts'
import { SocketCapture } from './socket-capture.ts'
import { SocketGate } from './socket-gate.ts'

/** Relays a WebSocket: the handshake's headers and then every byte as sent, with backpressure both ways. */
export function relayWebSocket(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  context: ForwardingContext,
): void {
  const { tap, pathSecret } = context
  const { method = 'GET', url = '/', rawHeaders } = request
  const { path, isProven } = readRequestPath(url, pathSecret)
  // An unhandled error would end the process. 'close' follows it.
  client.on('error', () => client.destroy())
  const found = context.route(path, rawHeaders)
  if ('refusal' in found) return answerUpgrade(client, found.refusal)
  const { upstream, path: below, recordedAs = path } = found.route
  const seen = { method, path: recordedAs, headers: rawHeaders, isUnproven: isProven === false }
  const captured = tap && new SocketCapture(tap, seen)
  const handshake = { method, path: below, headers: rawHeaders }
  const relay = new Relay({ client, head, captured, upstream, context, handshake })
  upstream.dispatch(
    { method: 'GET', path: upstream.basePath + below, upgrade: 'websocket' },
    requestHeaders(rawHeaders, upstream.host),
    relay,
  )
}

/** Answers an upgrade with an error, and closes the connection. */
export function answerUpgrade(client: Duplex, error: MessagesError): void {
  const body = messagesErrorBody(error)
  client.on('error', () => client.destroy())
  client.end(
    `HTTP/1.1 ${error.status} ${REASONS[error.status] ?? 'Error'}\r\ncontent-type: application/json\r\ncontent-length: ${body.byteLength}\r\nconnection: close\r\n\r\n${body.toString()}`,
  )
}

const REASONS: { readonly [status: number]: string } = {
  400: 'Bad Request',
  403: 'Forbidden',
  426: 'Upgrade Required',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Time that one side has to close after the other did. */
const CLOSING_MS = 2000

type Handshake = Pick<GatedRequest, 'method' | 'path' | 'headers'>

interface RelayedSocket {
  readonly client: Duplex
  /** Bytes that the client sent together with its handshake. */
  readonly head: Buffer
  readonly captured: SocketCapture | null
  readonly upstream: Upstream
  readonly context: ForwardingContext
  readonly handshake: Handshake
}

/** One WebSocket, as undici's response handler and then as two piped sockets. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #client: Duplex
  /** Bytes that the client sent together with its handshake. */
  readonly #head: Buffer
  readonly #captured: SocketCapture | null
  readonly #upstream: Upstream
  readonly #context: ForwardingContext
  readonly #handshake: Handshake
  /** null: nothing decides about the client's messages. */
  #gate: SocketGate | null = null
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false

  constructor({ client, head, captured, upstream, context, handshake }: RelayedSocket) {
    this.#client = client
    this.#head = head
    this.#captured = captured
    this.#upstream = upstream
    this.#context = context
    this.#handshake = handshake
    client.on('close', () => {
      this.#end('client_aborted')
      this.#controller?.abort(new Error('the client disconnected'))
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the client disconnected'))
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _headers: unknown, socket: Duplex): void {
    const raw = flatHeaders(controller.rawHeaders)
    this.#controller = null
    socket.on('error', () => socket.destroy())
    if (this.#isOver) return void socket.destroy()
    this.#client.write(`${headOf(status, 'Switching Protocols', raw)}\r\n`, 'latin1')
    this.#captured?.responseHead(status, raw)
    this.#gate = this.#gateBefore(socket, raw)
    if (this.#gate === null) this.#pipe(this.#client, socket, (chunk) => this.#captured?.fromClient(chunk))
    else this.#pipeGated(this.#gate, socket)
    this.#pipe(socket, this.#client, (chunk) => {
      this.#captured?.fromUpstream(chunk)
      this.#gate?.fromUpstream(chunk)
    })
    this.#client.on('close', () => {
      this.#gate?.leave()
      socket.destroy()
    })
    socket.on('close', () => {
      this.#end(socket.readableEnded ? 'complete' : 'upstream_aborted')
      this.#client.end()
    })
    if (this.#head.length > 0) this.#client.unshift(this.#head)
  }

  /** The upstream refused the WebSocket: the client gets its answer unchanged. */
  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    if (status < 200 || this.#isOver) return
    const raw = flatHeaders(controller.rawHeaders)
    const plain = responseHeaders(raw)
    this.#client.write(`${headOf(status, reason, [...plain, 'connection', 'close'])}\r\n`, 'latin1')
    this.#captured?.responseHead(status, raw)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#client.write(chunk)
    this.#captured?.responseBytes(chunk)
  }

  onResponseEnd(): void {
    this.#controller = null
    this.#end('complete')
    this.#client.end()
  }

  /** Must not throw into undici. */
  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    const wasConnected = this.#controller !== null
    this.#controller = null
    this.#context.onUpstreamFailure(error, this.#upstream.origin)
    const failure = upstreamFailure(this.#upstream.origin, error, wasConnected)
    this.#end(wasConnected ? 'upstream_aborted' : 'upstream_unreachable', failure.message)
    answerUpgrade(this.#client, failure)
  }

  /** Returns the gate for the client's messages once a cap is set; null if there is never one. */
  #gateBefore(socket: Duplex, answer: readonly string[]): SocketGate | null {
    const { gate = null } = this.#context
    const client = this.#client
    if (gate === null) return null
    return new SocketGate({
      gate,
      captured: this.#captured,
      handshake: this.#handshake,
      answer,
      toUpstream: (bytes) => pass(bytes, client, socket),
      refuse: (frames) => {
        client.end(frames)
        socket.end()
        this.#closeLater(socket, client)
      },
      pause: () => client.pause(),
      resume: () => {
        if (!socket.writableNeedDrain) client.resume()
      },
    })
  }

  #pipeGated(gate: SocketGate, socket: Duplex): void {
    this.#client.on('data', (chunk: Buffer) => gate.fromClient(chunk))
    this.#client.on('end', () => {
      gate.leave()
      socket.end()
      this.#closeLater(this.#client, socket)
    })
  }

  #pipe(from: Duplex, to: Duplex, capture: (chunk: Buffer) => void): void {
    from.on('data', (chunk: Buffer) => {
      pass(chunk, from, to)
      capture(chunk)
    })
    from.on('end', () => {
      to.end()
      this.#closeLater(from, to)
    })
  }

  /** Neither side of a WebSocket may continue alone: the side that does not close is closed. */
  #closeLater(from: Duplex, to: Duplex): void {
    const timer = setTimeout(() => {
      from.destroy()
      to.destroy()
    }, CLOSING_MS)
    to.once('close', () => clearTimeout(timer))
  }

  #end(outcome: Parameters<SocketCapture['end']>[0], error: string | null = null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#captured?.end(outcome, error)
  }
}

/** Passes bytes on, with backpressure. */
function pass(bytes: Uint8Array, from: Duplex, to: Duplex): void {
  if (to.destroyed || to.writableEnded || to.write(bytes)) return
  from.pause()
  to.once('drain', () => from.resume())
}

function headOf(status: number, reason: string, flat: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${/^[\t -~]*$/.test(reason) ? reason : ''}\r\n`
  for (let index = 0; index + 1 < flat.length; index += 2) head += `${flat[index] ?? ''}: ${flat[index + 1] ?? ''}\r\n`
  return head
}
