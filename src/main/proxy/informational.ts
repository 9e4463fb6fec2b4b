import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/**
 * Removes informational responses (RFC 9110, section 15.2) from an upstream's bytes. They concern only its own
 * connection, and undici gives up the whole request after a `100 Continue` that it did not ask for.
 */

const HEAD_END = Buffer.from('\r\n\r\n')
/** `HTTP/1.1 1xx` without 101, which ends HTTP on the connection. */
const INFORMATIONAL = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
const STATUS_LINE_BYTES = 13
/** A longer informational response is left to the parser, which rejects it. */
const MAX_HEAD_BYTES = 64 * 1024
const EMPTY: Buffer = Buffer.alloc(0)

const filters = new WeakMap<object, InformationalFilter>()
const resets = new WeakSet<Error>()

/** True if an error closed a connection that had served requests before, without a byte of an answer to the last one. */
export const isResetOfKept = (error: Error): boolean => resets.has(error)

subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: object }
  filters.get(socket)?.expectHead()
})

/** Wraps a connector so that its sockets deliver no informational responses. */
export function withoutInformational(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result
      if (error === null && socket !== null) filterReads(socket)
      callback(...result)
    })
}

function filterReads(socket: Socket): void {
  const filter = new InformationalFilter()
  filters.set(socket, filter)
  socket.prependListener('error', (error) => {
    if (filter.isKeptAndUnanswered) resets.add(error)
  })
  const read = socket.read.bind(socket)
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (chunk === null || !filter.isBeforeHead) return chunk
      const passed = filter.pass(chunk)
      if (passed.length > 0) return passed
    }
  }
}

/** Filters one connection, from a request's head until the first byte of the final response's head. */
class InformationalFilter {
  isBeforeHead = false
  #requests = 0
  #held: Buffer = EMPTY

  get isKeptAndUnanswered(): boolean {
    return this.#requests > 1 && this.isBeforeHead && this.#held.length === 0
  }

  expectHead(): void {
    this.#requests += 1
    this.isBeforeHead = true
  }

  /** Returns the rest without informational responses; keeps bytes that cannot be classified yet. */
  pass(chunk: Buffer): Buffer {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = EMPTY
    for (;;) {
      const start = bytes.toString('latin1', 0, STATUS_LINE_BYTES)
      if (bytes.length < STATUS_LINE_BYTES) {
        // The status line is incomplete, so it may still be informational.
        if ('HTTP/1.'.startsWith(start.slice(0, 7))) return this.#hold(bytes)
        return this.#finish(bytes)
      }
      if (!INFORMATIONAL.test(start)) return this.#finish(bytes)
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) return bytes.length > MAX_HEAD_BYTES ? this.#finish(bytes) : this.#hold(bytes)
      bytes = bytes.subarray(end + HEAD_END.length)
    }
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes
    return EMPTY
  }

  #finish(bytes: Buffer): Buffer {
    this.isBeforeHead = false
    return bytes
  }
}
