import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ForwardingContext } from '../forwarding.ts'
import type { MessagesError } from '../messages-error.ts'
import { hasBody } from '../request-body.ts'
import { readRequestPath } from '../request-path.ts'
import { isRouted } from '../upstream-routes.ts'
import { answerUpgrade, relayWebSocket } from './relay.ts'

interface RelaysOptions {
  readonly context: ForwardingContext
  /** False: every WebSocket is answered like a plain request. */
  readonly isOn: boolean
  /** Returns why a request must not be relayed, or null. */
  refusalOf(request: IncomingMessage): MessagesError | null
  /** Called for each WebSocket that is relayed. */
  onRelay(client: Duplex): void
}

/**
 * True if a request asks for a WebSocket (RFC 6455, section 4.1). A request with a body, or for other protocols only,
 * is handled as a plain one: the upstream never sees its Upgrade header (RFC 9110, section 7.8).
 */
export function isWebSocket(request: IncomingMessage): boolean {
  const { method, headers } = request
  const protocols = (headers.upgrade ?? '').split(',').map((name) => name.trim().toLowerCase())
  return method === 'GET' && !hasBody(request) && protocols.includes('websocket')
}

/** The WebSockets that the proxy relays: those below a path prefix. */
export class Relays {
  readonly #options: RelaysOptions
  /** Those that are open, and how to close each once no answer is in flight. */
  readonly #open = new Map<Duplex, ReturnType<typeof relayWebSocket>>()

  constructor(options: RelaysOptions) {
    this.#options = options
  }

  /** For `shouldUpgradeCallback`: any other request for a WebSocket is answered like a plain one. */
  accepts(request: IncomingMessage): boolean {
    return this.#options.isOn && isWebSocket(request) && isRouted(readRequestPath(request.url ?? '', null).path)
  }

  take(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const refusal = this.#options.refusalOf(request)
    if (refusal !== null) return answerUpgrade(client, refusal)
    client.once('close', () => this.#open.delete(client))
    this.#options.onRelay(client)
    this.#open.set(client, relayWebSocket(request, client, head, this.#options.context))
  }

  /** Closes each as soon as no answer is in flight. */
  closeNext(): void {
    for (const relay of this.#open.values()) relay?.closeNext()
  }

  /** Closes all of them. */
  destroy(): void {
    for (const client of this.#open.keys()) client.destroy()
  }
}
