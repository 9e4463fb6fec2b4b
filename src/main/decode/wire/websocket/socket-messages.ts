import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../../headers.ts'
import { MessageReader, type SocketMessage } from './message-reader.ts'

/** Reads both directions of a WebSocket, as negotiated in its handshake. */
export class SocketMessages {
  readonly client: MessageReader
  readonly upstream: MessageReader

  /** `headers`: those of the upstream's answer to the handshake. */
  constructor(headers: RawHeaders) {
    const extension = packingIn(headerOf(headers, 'sec-websocket-extensions'))
    this.client = new MessageReader({
      isOn: extension !== null,
      keepsContext: extension?.has('client_no_context_takeover') !== true,
    })
    this.upstream = new MessageReader({
      isOn: extension !== null,
      keepsContext: extension?.has('server_no_context_takeover') !== true,
    })
  }

  /** Bytes of the connection are missing. Returns what can no longer be read, the first time only. */
  lose(): SocketMessage[] {
    return [...this.client.lose(), ...this.upstream.lose()]
  }
}

/** Returns the names of the parameters of permessage-deflate; null if it was not agreed on. */
function packingIn(header: string | null): ReadonlySet<string> | null {
  const parts = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  return parts[0] === 'permessage-deflate' ? new Set(parts.map((part) => part.split('=')[0] ?? '')) : null
}
