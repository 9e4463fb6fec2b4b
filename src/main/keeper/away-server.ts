import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { readKey, type KeyName } from '../base/data-folder.ts'
import { typedHere } from '../base/folder-of-run.ts'
import { isAllowedHost, isOwnOrigin } from '../base/loopback-guard.ts'
import type { PassingRules } from './protocol.ts'

const MAX_HEADER_BYTES = 16 * 1024
/** As the app's operation has it. */
const MAX_HOOK_BYTES = 4 * 1024 * 1024
/** The part of a hook that is read: clients name the session first. */
const HEAD_CHARS = 4096
const LIMIT_MS = 10_000
/** The same for a browser that opens the window; it asks again until the app is back. */
const awayPage = (
  message: string,
): string => `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3"><meta name="color-scheme" content="light dark"><title>Aspy</title>
<body style="font:1rem system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem">
<h1>Aspy is not running</h1><p>${message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}. This page opens once it runs.`
const HOOKS_PATH = /^\/api\/hooks(\?|$)/

interface AwayOptions {
  readonly rules: Pick<PassingRules, 'dataDir' | 'allowedHosts'>
  readonly port: number
  /** Called for each hook that is dropped, with its session; '' if its beginning names none. */
  onHook(session: string): void
}

/**
 * Answers on the app's port while no app runs: that Aspy is away. A hook that the app would admit is dropped and answered as
 * by an app that has nothing to say, since the client shows any other answer as a failure at each prompt.
 */
export function createAwayServer(options: AwayOptions): Server {
  const limits = { headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS, keepAliveTimeout: 1 }
  const start = typedHere('aspy restart', options.rules.dataDir)
  const away = { code: 'store_unavailable', message: `Aspy is not running; start it with ${start}` }
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...limits }, (request, response) => {
    const isHook = request.method === 'POST' && HOOKS_PATH.test(request.url ?? '')
    const { host, accept = '' } = request.headers
    // Only its own hosts learn the folder.
    const isOwn = isAllowedHost(host, options.port, options.rules.allowedHosts)
    const admitted = isHook ? admission(request.headers, options) : isOwn ? 503 : 403
    const body = { bytes: 0, head: '' }
    request.on('data', (bytes: Buffer) => {
      body.bytes += bytes.length
      if (body.head.length < HEAD_CHARS) body.head += bytes.toString('latin1', 0, HEAD_CHARS)
    })
    const answer = () => {
      const status = admitted === 200 && body.bytes > MAX_HOOK_BYTES ? 413 : admitted
      if (status === 200) options.onHook(SESSION.exec(body.head)?.[1] ?? '')
      const isPage = status === 503 && accept.includes('text/html')
      const headers = { 'content-type': isPage ? 'text/html' : 'application/json', connection: 'close' }
      response
        .writeHead(status, status === 503 ? { ...headers, 'retry-after': '1' } : headers)
        .end(isPage ? awayPage(away.message) : JSON.stringify(status === 200 ? {} : { error: REFUSED[status] ?? away }))
    }
    // Closing the connection before a hook is whole would be a failure, too.
    if (admitted === 200) request.once('end', answer)
    else answer()
  })
  // Node's checks of slow heads begin with this event.
  server.emit('listening')
  return server
}

const SESSION = /"session_id"\s*:\s*"([\w-]{1,200})"/
const REFUSED: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  401: { code: 'unauthorized', message: 'send the key from the file "hooks" in the data folder' },
  413: { code: 'too_large', message: `the body is larger than ${MAX_HOOK_BYTES} bytes, the most that is accepted` },
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
