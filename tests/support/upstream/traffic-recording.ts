import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import type { TapMessage } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import { createProxy } from '../../../src/main/proxy/proxy.ts'
import { createTap } from '../../../src/main/proxy/tap.ts'
import type { JsonObject } from '../../../src/shared/event.ts'
import { silentLogger } from './proxy-under-test.ts'

/** A request that reached the app, to be replayed to another with its original timing. */
export type Recorded =
  | { readonly at: number; readonly message: TapMessage }
  | { readonly at: number; readonly wall: number; readonly hook: JsonObject }

export interface TrafficRecording extends AsyncDisposable {
  /** Address in front of the app's proxy. */
  readonly proxy: string
  /** Address in front of the app's `/api/hooks`, without a key. */
  readonly hooks: string
  /** Requests so far, in order. */
  traffic(): readonly Recorded[]
}

/** Forwards a client's requests to a running app and records them. */
export async function recordTraffic(app: {
  readonly proxy: string
  readonly app: string
  readonly token: string
}): Promise<TrafficRecording> {
  const traffic: Recorded[] = []
  const tap = createTap({
    maxQueueBytes: 64 * 1024 * 1024,
    post: (parcels) =>
      traffic.push(...parcels.flatMap(messagesOf).map((message) => ({ at: message.at, message: ownCopy(message) }))),
  })
  const proxy = createProxy({
    port: 0,
    upstream: new URL(app.proxy),
    tap,
    allowedHosts: [],
    logger: silentLogger,
  })
  const { port } = await proxy.listen()

  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      traffic.push({ at: performance.now(), wall: Date.now(), hook: JSON.parse(body.toString()) as JsonObject })
      const passed = await fetch(`${app.app}/api/hooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
        body,
      })
      response.writeHead(passed.status, { 'content-type': 'application/json' })
      response.end(await passed.text())
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    proxy: `http://127.0.0.1:${port}`,
    hooks: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traffic() {
      tap.flush()
      return traffic.toSorted((a, b) => a.at - b.at)
    },
    async [Symbol.asyncDispose]() {
      await proxy.close(0)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function ownCopy(message: TapMessage): TapMessage {
  return 'bytes' in message ? { ...message, bytes: new Uint8Array(message.bytes) } : message
}
