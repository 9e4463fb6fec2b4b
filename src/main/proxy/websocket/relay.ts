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
import { SocketTurns } from './socket-turns.ts'

/**
 * Relays a WebSocket: the handshake's headers and then every byte as sent, with backpressure both ways. Returns how to close it
 * as soon as no answer is in flight; null if it was refused.
 */
export function relayWebSocket(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  context: ForwardingContext,
): Pick<Relay, 'closeNext'> | null {
  const { tap, pathSecret } = context
  const { method = 'GET', url = '/', rawHeaders } = request
  const { path, isProven, upstream: named, run } = readRequestPath(url, pathSecret)
  // An unhandled error would end the process. 'close' follows it.
  client.on('error', () => client.destroy())
  const found = context.route(path, rawHeaders, named)
  if ('refusal' in found) {
    answerUpgrade(client, found.refusal)
    return null
  }
  const { upstream, path: below, recordedAs = path } = found.route
  const seen = {
    method,
    path: recordedAs,
    headers: rawHeaders,
    isUnproven: isProven === false,
    run: context.run ?? run,
  }
  const captured = tap && new SocketCapture(tap, seen)
  const handshake = { method, path: below, headers: rawHeaders }
  const relay = new Relay({ client, head, captured, upstream, context, handshake })
  upstream.dispatch(
    { method: 'GET', path: upstream.basePath + below, upgrade: 'websocket' },
    requestHeaders(rawHeaders, upstream.host),
    relay,
  )
  return relay
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

/** Close frame with status 1012, the restart of a service (RFC 6455, section 5.5.1). */
const RESTART = Buffer.from([0x88, 2, 0x03, 0xf4])

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
  readonly #turns = new SocketTurns()
  /** null until the upstream has accepted the WebSocket. */
  #upstreamSocket: Duplex | null = null
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

  /** Closes it as soon as no answer is in flight. */
  closeNext(): void {
    this.#turns.closeNext(() => {
      if (this.#upstreamSocket === null) this.#client.destroy()
      else this.#close(RESTART, this.#upstreamSocket)
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
    this.#upstreamSocket = socket
    this.#pipeClient(socket)
    socket.on('data', (chunk: Buffer) => {
      pass(chunk, socket, this.#client)
      this.#turns.fromUpstream(chunk)
      this.#captured?.fromUpstream(chunk)
      this.#gate?.fromUpstream(chunk)
    })
    socket.on('end', () => {
      this.#client.end()
      this.#closeLater(socket, this.#client)
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
      refuse: (frames) => this.#close(frames, socket),
      pause: () => client.pause(),
      resume: () => {
        if (!socket.writableNeedDrain) client.resume()
      },
    })
  }

  #pipeClient(socket: Duplex): void {
    const gate = this.#gate
    const client = this.#client
    client.on('data', (chunk: Buffer) => {
      for (const bytes of this.#turns.fromClient(chunk)) {
        if (gate !== null) gate.fromClient(bytes)
        else {
          pass(bytes, client, socket)
          this.#captured?.fromClient(bytes)
        }
      }
    })
    client.on('end', () => {
      gate?.leave()
      socket.end()
      this.#closeLater(client, socket)
    })
  }

  /** Sends the client its last frames, and closes both sides. */
  #close(frames: Buffer, socket: Duplex): void {
    this.#client.end(frames)
    socket.end()
    this.#closeLater(socket, this.#client)
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
    this.#turns.end()
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
