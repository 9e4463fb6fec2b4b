import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import net from 'node:net'

/**
 * Fences a process off: `node --import` this file, and each connection or question for an address that leaves the machine
 * is written to the file FENCE names, and refused. Threads and child processes inherit it with NODE_OPTIONS.
 */
const file = process.env['FENCE']
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

function refuse(address: string): Error {
  if (file !== undefined) appendFileSync(file, `${address}\n`)
  return Object.assign(new Error(`the fence refused ${address}`), { code: 'ECONNREFUSED' })
}

const { connect } = net.Socket.prototype
/** `net.connect` hands its normalized arguments on as one array. */
type Destination = { readonly host?: string; readonly path?: string }

net.Socket.prototype.connect = function fenced(this: net.Socket, ...args: unknown[]) {
  const [first] = Array.isArray(args[0]) ? args[0] : args
  const { host, path } =
    typeof first === 'object' && first !== null
      ? (first as Destination)
      : { host: String(args[1] ?? 'localhost'), path: undefined }
  if (path === undefined && host !== undefined && !LOOPBACK.test(host)) {
    this.destroy(refuse(host))
    return this
  }
  return Reflect.apply(connect, this, args)
} as typeof connect

const { lookup } = dns
dns.lookup = ((hostname: string, ...rest: unknown[]) => {
  if (LOOPBACK.test(hostname) || net.isIP(hostname) !== 0) return Reflect.apply(lookup, dns, [hostname, ...rest])
  const done = rest.at(-1) as (error: Error) => void
  queueMicrotask(() => done(refuse(hostname)))
}) as typeof lookup
