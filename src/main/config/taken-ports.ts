import { createServer } from 'node:net'
import type { Config } from '../../shared/config.ts'

/** A port of the settings that another program uses. */
export interface TakenPort {
  readonly key: 'proxy.port' | 'app.port' | 'proxy.tunnel_port'
  /** The part of the file that has it. */
  readonly setting: string
  readonly flag: string
  readonly port: number
}

/** Finds the ports of the settings that other programs use now. */
export async function takenPorts({ app, proxy }: Config): Promise<readonly TakenPort[]> {
  const wanted: readonly TakenPort[] = [
    { key: 'app.port', setting: 'app', flag: '--port', port: app.port },
    { key: 'proxy.port', setting: 'proxy', flag: '--proxy-port', port: proxy.port },
    { key: 'proxy.tunnel_port', setting: 'proxy', flag: '--tunnel-port', port: proxy.tunnel_port },
  ]
  const taken = await Promise.all(wanted.map(({ port }) => isTaken(port)))
  return wanted.filter((_, index) => taken[index])
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })
}
