import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { flatHeaders, headerPairs, requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { MAX_GATED_BYTES, shownTo, type Gate } from './gate.ts'
import { answerError, endAfterRequest, messagesErrorBody, type MessagesError } from './messages-error.ts'
import { isResetOfKept } from './informational.ts'
import { hasBody, isRead, mayBeWhole, RequestBody, takeWholeBody } from './request-body.ts'
import { readRequestPath, type SecretCheck } from './request-path.ts'
import type { Tap, TapExchange } from './tap.ts'
import type { Upstream } from './upstream.ts'
import type { Routing } from './upstream-routes.ts'
import { upstreamFailure } from './upstream-failure.ts'

const NOTHING = Buffer.alloc(0)

export interface ForwardingContext {
  /** Chooses the upstream of a request by its path and flat raw headers. `named`: the id of its session's own upstream. */
  route(path: string, headers: readonly string[], named: string | null): Routing
  readonly tap: Pick<Tap, 'open'> | null
  readonly pathSecret: SecretCheck | null
  /** The run of all requests; null or absent: their base URL names it, if anything does. */
  readonly run?: string | null
  /** null or absent: nothing decides about requests. */
  readonly gate?: Gate | null
  /** Called if the upstream cannot be reached or disconnects. */
  onUpstreamFailure(error: Error, origin: string): void
}

/** Streams a request to the upstream and its response to the client, with backpressure both ways. */
export function forward(request: IncomingMessage, response: ServerResponse, context: ForwardingContext): void {
  const { tap, pathSecret } = context
  const { method = 'GET', url = '/', rawHeaders } = request
  const { path, isProven, upstream: named, run } = readRequestPath(url, pathSecret)
  const found = context.route(path, rawHeaders, named)
  if ('refusal' in found) return answerError(request, response, found.refusal, expectsContinue(request))
  const { route } = found
  const recorded = { method, path: route.recordedAs ?? path, headers: rawHeaders, isUnproven: isProven === false }
  const captured = tap?.open({ ...recorded, run: context.run ?? run }) ?? null
  const gated = { id: captured?.id ?? null, method, path: route.path, headers: rawHeaders }
  const visit = (hasBody(request) && context.gate?.enter(gated)) || null
  const send = (body: RequestBody | Buffer | null, isAfresh?: boolean) =>
    route.upstream.dispatch(
      { method, path: route.upstream.basePath + route.path, body },
      requestHeaders(rawHeaders, route.upstream.host),
      forwarding,
      isAfresh,
    )
  const resend = (body: Buffer | null) => send(body, true)
  const forwarding = new Forwarding({ request, response, captured, context, upstream: route.upstream, resend })
  response.on('close', () => {
    visit?.leave()
    forwarding.onClientClose()
  })
  // An unhandled error would end the process. 'close' follows it.
  response.on('error', () => response.destroy())
  if (!hasBody(request)) {
    captured?.requestEnd()
    return send(null)
  }
  if (visit === null) return sendBody(request, forwarding, captured, send)
  const body = forwarding.streamBody(shownTo(visit, captured), MAX_GATED_BYTES)
  body.prefetch()
  void visit.verdict.then((refusal) => {
    if (forwarding.isOver) return
    if (refusal === null) send(body)
    else forwarding.refuse(refusal)
  })
}

/**
 * Sends a body that arrived together with its head as one buffer, and any other as a stream. undici needs much less for
 * a buffer: its objects for a stream also survive V8's young-generation collections.
 */
function sendBody(
  request: IncomingMessage,
  forwarding: Forwarding,
  captured: TapExchange | null,
  send: (body: RequestBody | Buffer) => void,
): void {
  if (!mayBeWhole(request)) return send(forwarding.streamBody(captured))
  // The parser delivers the rest of the bytes that it has read before the next tick.
  process.nextTick(() => {
    if (forwarding.isOver) return
    const whole = takeWholeBody(request)
    if (whole === null) return send(forwarding.streamBody(captured))
    captured?.requestBytes(whole)
    captured?.requestEnd()
    forwarding.wholeBody = whole
    send(whole)
  })
}

function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}

interface ForwardedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly captured: TapExchange | null
  readonly context: ForwardingContext
  readonly upstream: Upstream
  /** Sends the request again, on a new connection. */
  readonly resend: (body: Buffer | null) => void
}

/** One exchange in progress, as undici's response handler. */
class Forwarding implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #captured: TapExchange | null
  readonly #context: ForwardingContext
  readonly #upstream: Upstream
  readonly #resend: (body: Buffer | null) => void
  #isResent = false
  /** The body if it was sent as one buffer; null once an answer begins. */
  wholeBody: Buffer | null = null
  /** null without a body, or if it was sent as one buffer. */
  #body: RequestBody | null = null
  #controller: Dispatcher.DispatchController | null = null
  /** The upstream's side has ended, in any way. */
  #isOver = false
  #isClientGone = false

  constructor({ request, response, captured, context, upstream, resend }: ForwardedExchange) {
    this.#request = request
    this.#response = response
    this.#captured = captured
    this.#context = context
    this.#upstream = upstream
    this.#resend = resend
  }

  /** True once the exchange has ended for the client, in any way. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Streams the request's body. `shown` also sees it; at most `highWaterMark` is read ahead. */
  streamBody(shown: Pick<TapExchange, 'requestBytes' | 'requestEnd'> | null, highWaterMark?: number): RequestBody {
    const request = this.#request
    const response = this.#response
    const meetExpectation = () => {
      if (expectsContinue(request) && !response.headersSent) response.writeContinue()
    }
    this.#body = new RequestBody(request, shown, meetExpectation, highWaterMark)
    return this.#body
  }

  /** Answers instead of the upstream, which never sees the request. */
  refuse(refusal: MessagesError): void {
    this.#isOver = true
    const captured = this.#captured
    captured?.responseHead(refusal.status, ['content-type', 'application/json'])
    captured?.responseBytes(messagesErrorBody(refusal))
    this.#response.once('close', () => captured?.end('complete'))
    answerError(this.#request, this.#response, refusal, this.#giveUpBody())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isClientGone) controller.abort(new Error('the client disconnected'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    // Informational responses concern only this connection; the final one follows.
    if (status < 200) return
    this.#body?.forget()
    this.wholeBody = null
    const response = this.#response
    const raw = flatHeaders(controller.rawHeaders)
    response.sendDate = false
    response.writeHead(status, reasonPhrase(reason), responseHeaders(raw))
    // Sends the head now, with anything from the same tick. `flushHeaders` would encode it as UTF-8, changing its bytes.
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

  /** Must not throw into undici. */
  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    if (this.#isClientGone || !this.#mayResend(error)) return this.#fail(error)
    const again = this.#body === null ? Promise.resolve(this.wholeBody) : this.#body.whole()
    void again.then((bytes) => {
      if (this.#isOver) return
      if (this.#body !== null && bytes === null) this.#fail(error)
      else this.#resend(bytes)
    })
  }

  /** An upstream may close a kept connection just as a request arrives on it: it has then not read the request. */
  #mayResend(error: Error): boolean {
    const may = !this.#isResent && isResetOfKept(error) && (this.#body === null || this.#body.isStarted)
    this.#isResent ||= may
    return may
  }

  #fail(error: Error): void {
    this.#isOver = true
    if (this.#isClientGone) return
    this.#context.onUpstreamFailure(error, this.#upstream.origin)
    if (this.#response.headersSent) {
      cut(this.#response)
      this.#captured?.end('upstream_aborted', error.message)
      return
    }
    const wasConnected = this.#controller !== null
    const failure = upstreamFailure(this.#upstream.origin, error, wasConnected)
    // Records everything the client sends, even though it never reaches the upstream.
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
    this.#controller?.abort(new Error('the client disconnected'))
  }

  /**
   * Captures the rest of the client's body without forwarding it: the upstream has answered or failed without it.
   * Returns true if the client withholds its body until it receives 100 Continue.
   */
  #giveUpBody(): boolean {
    if (this.#body === null || isRead(this.#request)) return false
    if (!this.#body.isStarted && expectsContinue(this.#request)) return true
    this.#body.destroy()
    return false
  }
}

/** Closes the client's connection mid-response, after the data so far, as if the upstream had closed it. */
function cut(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) response.destroy()
  else socket.destroySoon()
}

/**
 * Re-encodes a reason phrase that undici read as UTF-8, so that Node's Latin-1 writes the original bytes. Node refuses to write
 * control characters: each becomes a space.
 */
function reasonPhrase(reason: string): string {
  if (/^[\t -~]*$/.test(reason)) return reason
  return Buffer.from(reason)
    .toString('latin1')
    .replaceAll(/[^\t -~\u0080-\u00ff]/g, ' ')
}
