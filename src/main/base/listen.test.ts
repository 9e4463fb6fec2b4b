import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

/** A server whose port the system refuses. */
function refused(code: string): Server {
  const server = new Server()
  server.listen = () => {
    server.emit('error', Object.assign(new Error(`listen ${code}`), { code }))
    return server
  }
  return server
}

test.each(['EADDRINUSE', 'EACCES'])('a port that answers %s is taken', async (code) => {
  await expect(listen(refused(code), 80, 'choose another')).rejects.toMatchObject({
    code: 'port_taken',
    message: 'port 80 is taken; choose another',
  })
})

test('any other reason is passed on', async () => {
  await expect(listen(refused('EMFILE'), 80, 'choose another')).rejects.toThrow('listen EMFILE')
})

test('a server that listens without an address is an error', async () => {
  const server = new Server()
  server.listen = (...args: unknown[]) => {
    const listening = args.at(-1) as () => void
    listening()
    return server
  }
  await expect(listen(server, 0, '')).rejects.toThrow('the server listens on no port')
})

test('the port that the system chose is returned', async () => {
  const server = createServer()
  onTestFinished(async () => {
    server.close()
    await once(server, 'close')
  })
  expect(await listen(server, 0, '')).toBe((server.address() as { port: number }).port)
})
