import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Target } from './connect-request.ts'
import { Refusal } from './refusal.ts'
import { errorMessage } from '../../shared/error-text.ts'

/** Answers to CONNECT are short. */
const MAX_HEAD_BYTES = 64 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')

/** Opens a tunnel through another HTTP proxy (RFC 9110, section 9.3.6). Throws a Refusal, and errors of the connection. */
export async function throughOuterProxy({ host, port }: Target, proxy: string, signal: AbortSignal): Promise<Socket> {
  const url = URL.canParse(proxy) ? new URL(proxy) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Refusal('outer_proxy', `HTTPS_PROXY is not the address of an HTTP proxy (${withoutUser(proxy)}).`)
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const name = `${url.protocol}//${url.host}`
  const socket = open(url)
  try {
    await settled(socket, url.protocol === 'https:' ? 'secureConnect' : 'connect', signal)
    socket.write(
      [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...authorization(url), '', ''].join('\r\n'),
      'latin1',
    )
    const status = await readAnswer(socket, signal)
    if (status >= 200 && status < 300) return socket
    const hint = status === 407 ? ' Put its user name and password into HTTPS_PROXY.' : ''
    throw new Refusal('outer_proxy', `The network's proxy ${name} refused ${authority} with status ${status}.${hint}`)
  } catch (error) {
    socket.destroy()
    if (error instanceof Refusal) throw error
    if (signal.aborted)
      throw new Refusal('timeout', `The network's proxy ${name} did not answer in time for ${authority}.`)
    const why = errorMessage(error)
    throw new Refusal('outer_proxy', `The network's proxy ${name} failed for ${authority} (${why}). Check HTTPS_PROXY.`)
  }
}

function open(url: URL): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const options = { host, port, allowHalfOpen: true }
  return url.protocol === 'https:'
    ? connectTls({ ...options, servername: host, ALPNProtocols: ['http/1.1'] })
    : connectPlain(options)
}

function authorization({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return []
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return [`Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}`]
}

/** Waits for an event of a socket; rejects if the socket fails or closes, or the signal aborts first. */
function settled(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onClose = () => reject(new Error('the connection closed'))
  const onAbort = () => reject(new Error('aborted'))
  socket.once(event, resolve).once('error', reject).once('end', onClose).once('close', onClose)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return promise.finally(() => {
    socket.off(event, resolve).off('error', reject).off('end', onClose).off('close', onClose)
    signal.removeEventListener('abort', onAbort)
    // A failed socket is destroyed, and may report another error.
    if (socket.destroyed) socket.on('error', () => undefined)
  })
}

/** Reads the head of the answer and returns its status. What follows the head stays in the socket. */
async function readAnswer(socket: Socket, signal: AbortSignal): Promise<number> {
  let head = Buffer.alloc(0)
  for (;;) {
    const chunk = socket.read() as Buffer | null
    if (chunk === null) {
      await settled(socket, 'readable', signal)
      if (socket.readableEnded) throw new Error('the connection closed')
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf(HEAD_END)
    if (end >= 0) {
      const rest = head.subarray(end + HEAD_END.length)
      if (rest.length > 0) socket.unshift(rest)
      return Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(head.toString('latin1', 0, 32))?.[1] ?? 0)
    }
    if (head.length > MAX_HEAD_BYTES) throw new Error('its answer is not a proxy’s')
  }
}

function withoutUser(proxy: string): string {
  return proxy.replace(/\/\/[^@/]*@/, '//').slice(0, 200)
}
