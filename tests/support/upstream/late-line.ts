import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { freePort } from '../runner/free-port.ts'
import { until } from '../runner/until.ts'

/** A port where nobody listens until it is said; then all goes to the upstream. */
export async function startLine(upstream: string) {
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(upstream).port), '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  // Not one that the system gives to others meanwhile.
  const port = await freePort()
  return {
    url: `http://127.0.0.1:${port}`,
    async upAfter(condition: () => Promise<boolean>) {
      await until('the connection was refused', condition)
      await listen(port)
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
