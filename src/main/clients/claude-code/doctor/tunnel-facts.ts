import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isTunnelProxyUrl, withoutTunnelKey } from '../../../../shared/tunnel-key.ts'

/** Time limit in ms for each step of the handshake. */
const STEP_MS = 5000

type Environment = Readonly<Record<string, string | undefined>>

/** Problems of clients that go through the tunnel. */
export interface TunnelFacts {
  /** Address of the tunnel, without the key. */
  readonly url: string
  /** The source that makes clients use it: a settings file, or the environment. */
  readonly from: string
  /** Variables that clients need and that are not set. */
  readonly missing: readonly string[]
  /** Why a handshake for the API's host failed, and what to do; null if it succeeded. */
  readonly fault: { readonly said: string; readonly mend: string } | null
}

interface Asked {
  /** The environment of a client, with what its settings set. */
  readonly env: Environment
  readonly from: string
  readonly host: string
}

const SETUP_AGAIN = 'run aspy setup --full again, or remove it with aspy setup --undo'

/** Connects to the tunnel that clients use as they do, up to the end of the TLS handshake; null if they use none. */
export async function tunnelFacts({ env, from, host }: Asked): Promise<TunnelFacts | null> {
  const proxy = env['https_proxy'] || env['HTTPS_PROXY'] || ''
  const file = env['NODE_EXTRA_CA_CERTS'] ?? ''
  if (!isTunnelProxyUrl(proxy)) return null
  const url = withoutTunnelKey(proxy) ?? ''
  const direct = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/)
  const missing = [
    ...(file === '' ? ['NODE_EXTRA_CA_CERTS'] : []),
    ...(direct.includes('127.0.0.1') ? [] : ['NO_PROXY']),
  ]
  const facts = { url, from, missing }
  if (file === '') return { ...facts, fault: null }
  if (!existsSync(file))
    return { ...facts, fault: { said: `${file}, which NODE_EXTRA_CA_CERTS names, does not exist`, mend: SETUP_AGAIN } }
  return { ...facts, fault: await handshake({ proxy: new URL(proxy), host, ca: readFileSync(file, 'utf8') }) }
}

interface Handshake {
  readonly proxy: URL
  readonly host: string
  /** PEM. */
  readonly ca: string
}

/** Returns why a client cannot reach the host through the tunnel, or null. Sends nothing beyond the handshake. */
async function handshake({ proxy, host, ca }: Handshake): Promise<TunnelFacts['fault']> {
  const login = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')
  const socket = connect({ host: '127.0.0.1', port: Number(proxy.port), timeout: STEP_MS })
  const { promise, resolve } = Promise.withResolvers<TunnelFacts['fault']>()
  const fail = (said: string, mend = SETUP_AGAIN) => resolve({ said, mend })
  socket.once('timeout', () => fail(`the tunnel at ${proxy.host} does not answer`, 'restart Aspy'))
  socket.once('error', ({ message }) =>
    fail(`nothing serves the tunnel (${message})`, `start aspy serve, or ${SETUP_AGAIN}`),
  )
  socket.once('data', (bytes: Buffer) => {
    const [line = ''] = bytes.toString('latin1').split('\r\n')
    if (!line.startsWith('HTTP/1.1 200 ')) return fail(`the tunnel refuses its clients: ${line.slice(9, 300)}`)
    const secure = connectTls({ socket, servername: host, ca, ALPNProtocols: ['http/1.1'] })
    secure.once('secureConnect', () => resolve(null))
    secure.once('error', (error: NodeJS.ErrnoException) => fail(explained(host, error)))
  })
  socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\nProxy-Authorization: Basic ${login}\r\n\r\n`)
  return promise.finally(() => socket.destroy())
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate of the tunnel has expired; is the clock of this machine right?',
  CERT_NOT_YET_VALID: 'the certificate of the tunnel is not valid yet; is the clock of this machine right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the tunnel is for another host',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "clients trust a different authority than the tunnel's",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "clients trust a different authority than the tunnel's",
}

const explained = (host: string, { code = '', message }: NodeJS.ErrnoException): string =>
  `the TLS handshake for ${host} fails: ${EXPLANATIONS[code] ?? message} (${code || 'no code'})`
