import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports of this worker, below the range from which the system assigns free ones: no other worker of a run draws from them. */
const FIRST = 12_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 10) * 2000
/** A run begins elsewhere than the one before. */
let drawn = process.pid

/** Returns a port of 127.0.0.1 that is free, and that no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    drawn += 1
    const port = FIRST + (drawn % 2000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      // In use: try the next one.
      continue
    }
    await once(server.close(), 'close')
    return port
  }
}
