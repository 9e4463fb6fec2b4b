import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { isLoopback } from '../../shared/loopback.ts'
import type { Target } from './connect-request.ts'
import { forbiddenAs } from './forbidden-address.ts'
import { isDirect, type Network } from './network.ts'
import { throughOuterProxy } from './outer-proxy.ts'
import { Refusal } from './refusal.ts'

/** Resolves a host name to all of its addresses. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export const resolveBySystem: Resolve = (host) => systemLookup(host, { all: true })

export interface Dialling {
  readonly network: Network
  readonly resolve: Resolve
  /** Aborts with the reason `timeout` or because the client left. */
  readonly signal: AbortSignal
}

/** Connects to a target, through the network's proxy if there is one. Throws a Refusal. */
export async function dial(target: Target, dialling: Dialling): Promise<Socket> {
  const { host, port } = target
  const { network, signal } = dialling
  try {
    refuseOddSpelling(host)
    if (network.httpsProxy === '' || isDirect(network.noProxy, host, port))
      return await dialAddress(target, await allowedAddresses(host, dialling), signal)
    await refuseOwnMachine(host, dialling)
    return await throughOuterProxy(target, network.httpsProxy, signal)
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (signal.aborted) throw new Refusal('timeout', `${host}:${port} did not answer in time. Check the network.`)
    throw new Refusal('unreachable', `Aspy could not reach ${host}:${port} (${describe(error)}). Check the network.`)
  }
}

/** Names that systems and clouds give to such addresses. An outer proxy would resolve them on its own machine. */
const FORBIDDEN_NAMES: ReadonlyMap<string, string> = new Map([
  ['localhost.localdomain', '127.0.0.1'],
  ['localhost4', '127.0.0.1'],
  ['localhost6', '::1'],
  ['localhost6.localdomain6', '::1'],
  ['ip6-localhost', '::1'],
  ['ip6-loopback', '::1'],
  ['metadata', '169.254.169.254'],
  ['metadata.google.internal', '169.254.169.254'],
  ['metadata.goog', '169.254.169.254'],
  ['instance-data', '169.254.169.254'],
  ['metadata.tencentyun.com', '169.254.0.23'],
])

/** Refuses names of this machine (RFC 6761) and of metadata services, and other spellings of addresses, such as 127.1: resolvers differ in both. */
function refuseOddSpelling(host: string): void {
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  const named = isLocal ? '127.0.0.1' : FORBIDDEN_NAMES.get(host)
  if (named !== undefined) throw forbidden(host, named)
  const numeric = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host
  if (isIP(host) === 0 && isIP(numeric) !== 0 && forbiddenAs(numeric) !== null) throw forbidden(host, numeric)
}

/** Returns the addresses of a host that a tunnel may lead to. Throws a Refusal if it has others only. */
async function allowedAddresses(host: string, { resolve, signal }: Dialling): Promise<readonly LookupAddress[]> {
  const version = isIP(host)
  const addresses = version === 0 ? await untilAborted(resolve(host), signal) : [{ address: host, family: version }]
  const allowed = addresses.filter(({ address }) => forbiddenAs(address) === null)
  const [first] = addresses
  if (allowed.length === 0 && first !== undefined) throw forbidden(host, first.address)
  return allowed
}

/**
 * Refuses names of this machine that go to an outer proxy. Only that proxy knows the address that it connects to; if it
 * runs on this machine, a name must not resolve to a forbidden address here either.
 */
async function refuseOwnMachine(host: string, { network, resolve, signal }: Dialling): Promise<void> {
  if (isIP(host) !== 0) {
    if (forbiddenAs(host) !== null) throw forbidden(host, host)
    return
  }
  if (!URL.canParse(network.httpsProxy) || !isLoopback(new URL(network.httpsProxy).hostname)) return
  // A name that only the proxy can resolve is left to it.
  const addresses = await untilAborted(resolve(host), signal).catch((): readonly LookupAddress[] => [])
  const found = addresses.find(({ address }) => forbiddenAs(address) !== null)
  if (found !== undefined) throw forbidden(host, found.address)
}

/** Look-ups cannot be cancelled: their answer is ignored once the signal has aborted. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = () => reject(new Error('aborted'))
  work.then(resolve, reject)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

function forbidden(host: string, address: string): Refusal {
  const what = forbiddenAs(address) ?? 'forbidden'
  const name = host === address ? '' : `, to which ${host} resolves`
  return new Refusal('forbidden_address', `Aspy opens no tunnel to ${address} (${what})${name}.`)
}

/** Connects only to one of a host's resolved addresses: the name is not resolved again. */
function dialAddress({ host, port }: Target, addresses: readonly LookupAddress[], signal: AbortSignal) {
  const lookup: LookupFunction = (_name, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
  const judge = ({ remoteAddress = '' }: Socket) =>
    forbiddenAs(remoteAddress) === null ? null : forbidden(host, remoteAddress)
  return connected(connect({ host, port, lookup, allowHalfOpen: true }), signal, { judge })
}

interface Expectation {
  readonly event?: 'connect' | 'secureConnect'
  /** Returns why the connection must not be used, or null. */
  readonly judge?: (socket: Socket) => Error | null
}

/** Resolves with a socket once it is connected. Destroys it if it fails, the signal aborts or it must not be used. */
export function connected(
  socket: Socket,
  signal: AbortSignal,
  { event = 'connect', judge = () => null }: Expectation = {},
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      reject(error)
    }
    const onAbort = () => fail(new Error('aborted'))
    socket.once('error', fail)
    socket.once(event, () => {
      const error = judge(socket)
      if (error !== null) return fail(error)
      signal.removeEventListener('abort', onAbort)
      socket.off('error', fail)
      resolve(socket)
    })
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

/** Returns an error's code and message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
