import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Config } from '../../shared/config.ts'

/** A port of the settings, which another program may use. */
export interface TakenPort {
  readonly key: 'proxy.port' | 'app.port' | 'proxy.tunnel_port'
  /** The part of the file that has it. */
  readonly setting: string
  readonly flag: string
  readonly port: number
}

/** Returns the ports of the settings. */
export const portsOf = ({ app, proxy }: Config): readonly TakenPort[] => [
  { key: 'app.port', setting: 'app', flag: '--port', port: app.port },
  { key: 'proxy.port', setting: 'proxy', flag: '--proxy-port', port: proxy.port },
  { key: 'proxy.tunnel_port', setting: 'proxy', flag: '--tunnel-port', port: proxy.tunnel_port },
]

/** Finds the ports of the settings that other programs use now. */
export async function takenPorts(config: Config): Promise<readonly TakenPort[]> {
  const wanted = portsOf(config)
  const taken = await Promise.all(wanted.map(({ port }) => isTaken(port)))
  return wanted.filter((_, index) => taken[index])
}

/** Below the range that systems give to connections, which would take a port in between. Browsers refuse none of them. */
const FIRST_FREE = 20_000
const FREE = 3000
const KEYS = ['app.port', 'proxy.port', 'proxy.tunnel_port'] as const
const TRIES = 50

/** Returns a port that is free now, for a setting: no other setting gets it. Throws if there seems to be none. */
export async function freePort(key: TakenPort['key']): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = FIRST_FREE + randomInt(FREE) * KEYS.length + KEYS.indexOf(key)
    if (!(await isTaken(port))) return port
  }
  throw new Error('no port is free')
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })
}
