import { createServer, type Server } from 'node:http'

const MAX_HEADER_BYTES = 16 * 1024
const LIMIT_MS = 10_000
const BODY = JSON.stringify({
  error: { code: 'store_unavailable', message: 'Aspy is not running; start it with aspy restart' },
})

/** Answers on the app's port while no app runs: that Aspy is away, and nothing else. */
export function createAwayServer(): Server {
  const limits = { headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS, keepAliveTimeout: 1 }
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...limits }, (request, response) => {
    request.resume()
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' }).end(BODY)
  })
  // Node's checks of slow heads begin with this event.
  server.emit('listening')
  return server
}
