import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { readKey, type KeyName } from '../base/data-folder.ts'
import { isAllowedHost, isOwnOrigin } from '../base/loopback-guard.ts'
import type { PassingRules } from './protocol.ts'

const MAX_HEADER_BYTES = 16 * 1024
const LIMIT_MS = 10_000
const AWAY = { code: 'store_unavailable', message: 'Aspy is not running; start it with aspy restart' }
const HOOKS_PATH = /^\/api\/hooks(\?|$)/

interface AwayOptions {
  readonly rules: Pick<PassingRules, 'dataDir' | 'allowedHosts'>
  readonly port: number
  /** Called for each hook that is dropped. */
  onHook(): void
}

/**
 * Answers on the app's port while no app runs: that Aspy is away. A hook that the app would admit is dropped and answered as
 * by an app that has nothing to say, since the client shows any other answer as a failure at each prompt.
 */
export function createAwayServer(options: AwayOptions): Server {
  const limits = { headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS, keepAliveTimeout: 1 }
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...limits }, (request, response) => {
    const isHook = request.method === 'POST' && HOOKS_PATH.test(request.url ?? '')
    const status = isHook ? admission(request.headers, options) : 503
    request.resume()
    const answer = () => {
      if (status === 200) options.onHook()
      const headers = { 'content-type': 'application/json', connection: 'close' }
      response
        .writeHead(status, status === 503 ? { ...headers, 'retry-after': '1' } : headers)
        .end(JSON.stringify(status === 200 ? {} : { error: REFUSED[status] ?? AWAY }))
    }
    // Closing the connection before a hook is whole would be a failure, too.
    if (status === 200) request.once('end', answer)
    else answer()
  })
  // Node's checks of slow heads begin with this event.
  server.emit('listening')
  return server
}

const REFUSED: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  401: { code: 'unauthorized', message: 'send the key from the file "hooks" in the data folder' },
  403: { code: 'forbidden', message: 'this host or page is not served' },
}

/** Returns the status of a hook's answer by the rules of the app: its hosts, its own pages, and the keys that post hooks. */
function admission(
  { host, origin, authorization = '' }: IncomingMessage['headers'],
  { rules: { dataDir, allowedHosts }, port }: AwayOptions,
): 200 | 401 | 403 {
  if (!isAllowedHost(host, port, allowedHosts)) return 403
  if (origin !== undefined && !isOwnOrigin(origin, port, allowedHosts)) return 403
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  const sent = hashOf(key)
  const isSent = (name: KeyName) => timingSafeEqual(hashOf(readKey(dataDir, name) ?? ''), sent)
  if (key === '') return 401
  return isSent('hooks') || isSent('token') ? 200 : isSent('mcp') || isSent('metrics') ? 403 : 401
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
