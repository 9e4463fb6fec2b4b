import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRequest, readAnswer, send } from '../../support/upstream/byte-client.ts'
import { createByteUpstream, type RawExchange } from '../../support/upstream/byte-upstream.ts'

const ENTRY = join(import.meta.dirname, '../../support/security/few-files-proxy.ts')
const OPEN_FILES = 128
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A proxy in a process that may have no more than OPEN_FILES files and sockets open. */
async function startWithFewFiles(serve: (exchange: RawExchange) => Promise<void>) {
  const upstream = await createByteUpstream(serve)
  const command = `ulimit -n ${OPEN_FILES}; exec "$0" "$1" "$2"`
  const child = spawn('sh', ['-c', command, process.execPath, ENTRY, upstream.url.href], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    port: Number(line.toString()),
    async [Symbol.asyncDispose]() {
      child.kill()
      await upstream.close()
    },
  }
}

describe.skipIf(process.platform === 'win32')('a process with few file handles', () => {
  test('three hundred silent connections do not keep a client from its answer', async () => {
    await using run = await startWithFewFiles(async (exchange) => {
      await exchange.readRest()
      await exchange.write(ANSWER)
    })
    const silent: Socket[] = []
    for (let opened = 0; opened < 300; opened += 1) {
      const socket = connect(run.port, '127.0.0.1')
      socket.on('error', () => socket.destroy())
      // Half of them begin a request that never ends.
      if (opened % 2 === 0) socket.write('POST / HTTP/1.1\r\nHost: ')
      silent.push(socket)
      await once(socket, 'connect')
    }
    const bodies = await Promise.all(
      Array.from({ length: 10 }, async () => (await send(run.port, { method: 'POST' }, 'hello')).body.toString()),
    )
    expect(bodies).toEqual(Array.from({ length: 10 }, () => 'ok'))
    for (const socket of silent) socket.destroy()
  })

  test('more requests than there is room for are refused in words, and the others are answered', async () => {
    const release = Promise.withResolvers<void>()
    let asked = 0
    await using run = await startWithFewFiles(async (exchange) => {
      await exchange.readRest()
      asked += 1
      await release.promise
      await exchange.write(ANSWER)
    })
    const held = []
    let refused = 0
    for (let sent = 0; sent < OPEN_FILES; sent += 1) {
      const before = asked
      const outgoing = openRequest(run.port, { method: 'POST' })
      outgoing.end('hello')
      const answer = readAnswer(outgoing)
      const first = await Promise.race([answer, reaches(() => asked > before)])
      if (first === undefined) {
        held.push(answer)
        continue
      }
      expect(first.status).toBe(503)
      expect(JSON.parse(first.body.toString())).toMatchObject({ error: { type: 'overloaded_error' } })
      refused += 1
    }
    expect([held.length > 10, refused > 10]).toEqual([true, true])
    release.resolve()
    for (const answer of held) expect((await answer).body.toString()).toBe('ok')
    expect((await send(run.port, { method: 'POST' }, 'again')).body.toString()).toBe('ok')
  })
})

async function reaches(isThere: () => boolean): Promise<undefined> {
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve))
}
