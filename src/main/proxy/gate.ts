import type { MessagesError } from './messages-error.ts'
import type { SocketPlace } from './protocol/tap-protocol.ts'
import type { TapExchange } from './tap.ts'

/** Decides about requests before they leave. The forwarder reads their body first, and waits. */
export interface Gate {
  /** Returns null if the request needs no decision: it is then forwarded as if there were no gate. */
  enter(request: GatedRequest): GateVisit | null
  /** Returns whether the messages of a WebSocket to this path need decisions. */
  gatesSocket(path: string): boolean
}

export interface GatedRequest {
  /** ID of the captured exchange; null if capture is off. */
  readonly id: string | null
  readonly method: string
  /** Path and query for the upstream. */
  readonly path: string
  /** As Node gives them: name, value, name, … */
  readonly headers: readonly string[]
  /** The request is a message on a WebSocket: its bytes are frames. Headers are those of the client's handshake. */
  readonly socket?: SocketPlace & {
    /** Headers of the upstream's answer to the handshake. */
    readonly answer: readonly string[]
    /** Frames of the client's earlier messages, with which this one may be compressed; null if they are too large to keep. */
    readonly earlier: () => readonly Uint8Array[] | null
    /** Frames that the upstream has sent since the previous message; null if some of them are missing. */
    readonly answered: readonly Uint8Array[] | null
  }
}

/** One request at the gate. */
export interface GateVisit {
  requestBytes(bytes: Uint8Array): void
  requestEnd(): void
  /** Resolves with null to forward the request, or with the answer that the client gets instead. Never rejects. */
  readonly verdict: Promise<MessagesError | null>
  /** The client's connection to this exchange has ended. */
  leave(): void
  /** Its response is complete, and is stored once it has been read. */
  finish(): void
}

/** Bytes of a request's body that wait in memory for the verdict. A visit must decide before it has seen that many. */
export const MAX_GATED_BYTES = 64 * 1024 * 1024

/** Returns a capture that shows the body to the gate too. */
export function shownTo(
  visit: GateVisit,
  captured: TapExchange | null,
): Pick<TapExchange, 'requestBytes' | 'requestEnd'> {
  return {
    requestBytes(bytes) {
      captured?.requestBytes(bytes)
      visit.requestBytes(bytes)
    },
    requestEnd() {
      captured?.requestEnd()
      visit.requestEnd()
    },
  }
}
