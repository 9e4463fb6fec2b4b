import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A network between a laptop and a port of this machine, which a test can slow down or cut. */
export interface BadNetwork extends AsyncDisposable {
  readonly url: string
  /** Breaks every connection, also half-sent ones, and refuses new ones until it is mended. */
  cut(): void
  mend(): void
  /** Lets this many bytes a second through, in each direction of each connection; null: all. */
  throttle(bytesPerSecond: number | null): void
  /** Connections that are open, and those that a cut broke. */
  readonly open: number
  readonly broken: number
}

/** Pieces in which a throttled connection passes bytes on. */
const PIECE_MS = 50

export async function startBadNetwork(port: number): Promise<BadNetwork> {
  const sockets = new Set<Socket>()
  let isCut = false
  let limit: number | null = null
  let broken = 0

  async function pass(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let rest = chunk; rest.length > 0;) {
        const size = limit === null ? rest.length : Math.max(1, Math.floor((limit * PIECE_MS) / 1000))
        if (limit !== null) await pause(PIECE_MS)
        if (to.destroyed) return
        if (!to.write(rest.subarray(0, size))) await Promise.race([once(to, 'drain'), once(to, 'close')])
        rest = rest.subarray(size)
      }
    }
    to.end()
  }

  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      // A broken connection is what this is for.
      socket.on('error', () => socket.destroy())
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.end())
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      pass(from, to).catch(() => to.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      broken += sockets.size / 2
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
    throttle(bytesPerSecond) {
      limit = bytesPerSecond
    },
    get open() {
      return sockets.size / 2
    },
    get broken() {
      return broken
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
