import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that was free a moment ago, and that nobody is given who lets the system choose one: those lie
 * higher.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      // Taken: another one is tried.
      continue
    }
    await once(server.close(), 'close')
    return port
  }
}
