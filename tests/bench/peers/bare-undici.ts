import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool, type Dispatcher } from 'undici'
import { reportUsage } from './usage.ts'

/**
 * A minimal forwarder: node:http in front, undici behind, streaming both ways, without checks or capture. The lower bound for a proxy
 * of this design. Runs as a child process with the upstream's address and prints its port.
 */
const upstream = new URL(process.argv[2] ?? '')
const pool = new Pool(upstream.origin, { headersTimeout: 0, bodyTimeout: 0, allowH2: false })
const HOPS = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'te', 'upgrade', 'expect'])

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = request
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  let controller: Dispatcher.DispatchController | null = null
  response.on('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('gone'))
  })
  pool.dispatch(
    { method, path: url, body: hasBody ? request : null, headers: withoutHops(request.rawHeaders) },
    {
      onRequestStart(started) {
        controller = started
      },
      onResponseStart(started, status) {
        const raw = Array.isArray(started.rawHeaders) ? started.rawHeaders.map((part) => part.toString()) : []
        response.writeHead(status, withoutHops(raw))
        response.flushHeaders()
      },
      onResponseData(started, chunk) {
        if (response.write(chunk)) return
        started.pause()
        response.once('drain', () => started.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}

function withoutHops(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!HOPS.has(name.toLowerCase())) kept.push(name, raw[index + 1] ?? '')
  }
  return kept
}

const server = createServer(forward)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
reportUsage()
