import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { isProcessAlive } from '../../../src/main/base/is-process-alive.ts'
import { findRunningApp } from '../../../src/main/base/running-app.ts'
import { holdLease } from '../../../src/main/cli/tunnel-lease.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startKept } from '../../support/keeper/kept-app.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { askForTunnel, ownAddress } from '../../support/tunnel/tunnel-under-test.ts'

/** A tunnel to a host that Aspy does not read, while the app behind it is restarted or stopped. */

/** A server that sends back what it receives, and tunnels to it. */
async function startEcho(tunnel: string, key: string) {
  const clients: Socket[] = []
  const server = createServer((socket) => void socket.on('error', () => socket.destroy()).pipe(socket))
  await once(server.listen(0, '0.0.0.0'), 'listening')
  return {
    async open(): Promise<Socket> {
      const target = `${ownAddress ?? ''}:${(server.address() as AddressInfo).port}`
      const { status, socket } = await askForTunnel(Number(new URL(tunnel).port), target, key)
      clients.push(socket)
      expect(status).toBe(200)
      return socket
    },
    [Symbol.dispose]() {
      server.close()
      for (const client of clients) client.destroy()
    },
  }
}

/** Sends bytes and waits for them to come back. */
async function echoed(socket: Socket, text: string): Promise<string> {
  let back = ''
  const read = (bytes: Buffer) => (back += bytes.toString())
  socket.on('data', read).resume().write(text)
  await until('it comes back', () => Promise.resolve(back.length === text.length))
  socket.off('data', read)
  return back
}

test.skipIf(lacks(ownAddress !== null))('a blind tunnel outlives a restart and a stop', async () => {
  using folder = makeTempFolder('aspy-blind-')
  await using kept = await startKept(folder.path, 'http://127.0.0.1:9')
  const key = createTunnelKey()
  // It ends before the app, which lives as long as its tunnels.
  using echo = await startEcho(kept.tunnel, key)
  const app = await findRunningApp(folder.path)
  if (app === null) throw new Error('no app is running')
  const leaving = new AbortController()
  await holdLease({ app, dataDir: folder.path, input: { tunnel_key: key, https_proxy: '' }, signal: leaving.signal })
  const at = ['--data', folder.path]
  const old = kept.appPid()
  const first = await echo.open()
  expect(await aspy(['restart', ...at])).toMatchObject({ code: 0, stderr: '' })
  const second = await echo.open()
  expect([await echoed(first, 'old'), await echoed(second, 'new')]).toEqual(['old', 'new'])

  // An end does not wait for what carries nothing of ours: the old app is forgotten, and lives as long as its tunnel.
  await until(
    'the old app is forgotten',
    async () => (await askKeeper(folder.path, 'status'))?.leavingPids.length === 0,
  )
  expect([isProcessAlive(old), await echoed(first, 'forgotten')]).toEqual([true, 'forgotten'])
  first.end()
  await until('the old app has ended', () => Promise.resolve(!isProcessAlive(old)))

  // The run lives on, and with it its key.
  expect(await aspy(['stop', ...at])).toMatchObject({ code: 0 })
  const third = await echo.open()
  expect([await echoed(second, 'stopped'), await echoed(third, 'passing')]).toEqual(['stopped', 'passing'])
  // Only tunnels to an API are unrecorded traffic.
  expect((await askKeeper(folder.path, 'status'))?.passed).toMatchObject({ requests: {}, tunnels: 0 })
  expect(await aspy(['restart', ...at])).toMatchObject({ code: 0 })
  expect([await echoed(second, 'again'), await echoed(third, 'again')]).toEqual(['again', 'again'])
  leaving.abort()
})
