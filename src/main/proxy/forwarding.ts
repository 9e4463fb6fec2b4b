import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { flatHeaders, headerPairs, requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { answerError, endAfterRequest } from './messages-error.ts'
import { isRead, RequestBody } from './request-body.ts'
import type { Tap, TapExchange } from './tap.ts'
import type { Upstream } from './upstream.ts'
import { upstreamFailure } from './upstream-failure.ts'

const NOTHING = Buffer.alloc(0)

export interface ForwardingContext {
  readonly upstream: Upstream
  readonly tap: Tap | null
  /** The upstream could not be reached, or broke off. */
  onUpstreamFailure(error: Error): void
}

/** Sends one request to the upstream and its answer to the client; both as they come, neither faster than it is taken. */
export function forward(request: IncomingMessage, response: ServerResponse, context: ForwardingContext): void {
  const { upstream, tap } = context
  const { method = 'GET', url = '/', rawHeaders } = request
  const captured = tap?.open({ method, path: url, headers: rawHeaders }) ?? null
  const body = hasBody(request) ? new RequestBody(request, captured, () => meetExpectation(request, response)) : null
  if (body === null) captured?.requestEnd()
  const forwarding = new Forwarding(request, response, body, captured, context)
  response.on('close', () => forwarding.onClientClose())
  // An error that no one hears would end the process; 'close' follows it.
  response.on('error', () => response.destroy())
  upstream.dispatch(
    { method, path: upstream.basePath + url, body },
    requestHeaders(rawHeaders, upstream.host),
    forwarding,
  )
}

function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && Number(length) !== 0
}

function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}

function meetExpectation(request: IncomingMessage, response: ServerResponse): void {
  if (expectsContinue(request) && !response.headersSent) response.writeContinue()
}

/** One exchange on its way; undici calls it. */
class Forwarding implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #body: RequestBody | null
  readonly #captured: TapExchange | null
  readonly #context: ForwardingContext
  #controller: Dispatcher.DispatchController | null = null
  /** The upstream's side is over, in whatever way. */
  #isOver = false
  #isClientGone = false

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    body: RequestBody | null,
    captured: TapExchange | null,
    context: ForwardingContext,
  ) {
    this.#request = request
    this.#response = response
    this.#body = body
    this.#captured = captured
    this.#context = context
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isClientGone) controller.abort(new Error('the client went away'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    // Informational answers concern the connection they come on; the final one is still to come.
    if (status < 200) return
    const response = this.#response
    const raw = flatHeaders(controller.rawHeaders)
    response.sendDate = false
    response.writeHead(status, asLatin1(reason), responseHeaders(raw))
    // Sends the head now, with what comes in the same tick. `flushHeaders` would write it as UTF-8: other bytes.
    response.write(NOTHING)
    this.#captured?.responseHead(status, raw)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isClientGone) return
    if (!this.#response.write(chunk)) {
      controller.pause()
      this.#response.once('drain', () => {
        if (!this.#isOver) controller.resume()
      })
    }
    this.#captured?.responseBytes(chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#isOver = true
    if (!this.#isClientGone) {
      const trailers = flatHeaders(controller.rawTrailers)
      if (trailers.length > 0) this.#response.addTrailers(headerPairs(trailers))
      const isBodyWithheld = this.#giveUpBody()
      if (this.#response.shouldKeepAlive) this.#response.end()
      else endAfterRequest(this.#request, this.#response, isBodyWithheld)
    }
    this.#captured?.end('complete')
  }

  /** Called by undici, which must not see it throw. */
  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isClientGone) return
    this.#context.onUpstreamFailure(error)
    if (this.#response.headersSent) {
      cut(this.#response)
      this.#captured?.end('upstream_aborted', error.message)
      return
    }
    const wasConnected = this.#controller !== null
    const failure = upstreamFailure(this.#context.upstream.origin, error, wasConnected)
    // What the client meant to send is part of the record, though it reached no one.
    this.#response.once('close', () =>
      this.#captured?.end(wasConnected ? 'upstream_aborted' : 'upstream_unreachable', failure.message),
    )
    answerError(this.#request, this.#response, failure, this.#giveUpBody())
  }

  onClientClose(): void {
    if (this.#response.writableFinished || this.#isOver) return
    this.#isClientGone = true
    this.#isOver = true
    this.#captured?.end('client_aborted')
    this.#controller?.abort(new Error('the client went away'))
  }

  /**
   * Captures, but no longer forwards, what the client still sends: the upstream has answered or failed without it.
   * Returns whether the client withholds its body until it is told to send it.
   */
  #giveUpBody(): boolean {
    if (this.#body === null || isRead(this.#request)) return false
    if (!this.#body.isStarted && expectsContinue(this.#request)) return true
    this.#body.destroy()
    return false
  }
}

/** Ends the client's connection in mid-answer, after what had come: as it sees the upstream's own cut. */
function cut(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) response.destroy()
  else socket.destroySoon()
}

/** A reason phrase that undici has read as UTF-8, as the Latin-1 that Node writes: the same bytes. */
function asLatin1(reason: string): string {
  return /^[\t -~]*$/.test(reason) ? reason : Buffer.from(reason).toString('latin1')
}
