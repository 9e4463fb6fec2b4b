import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findRunningApp } from '../../../src/main/base/running-app.ts'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { holdLease, type Lease } from '../../../src/main/cli/tunnel-lease.ts'
import { LAST_PORT_FILE, readLastPort } from '../../../src/main/tunnel/last-port.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { API_HOST, askForTunnel, beginTls } from '../../support/tunnel/tunnel-under-test.ts'

/** Aspy restarts under a client of `aspy run --full`, which knows one address, one key and one authority for its life. */

let folder: TempFolder
beforeEach(() => {
  folder = makeTempFolder('aspy-restart-')
})
afterEach(() => {
  vi.restoreAllMocks()
  folder.remove()
})

const start = (settings: Readonly<Record<string, unknown>> = {}) =>
  startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, settings })
/** Does the same as `aspy run --full` for its client. */
const run = async () => {
  const leaving = new AbortController()
  const key = createTunnelKey()
  const app = await findRunningApp(folder.path)
  if (app === null) throw new Error('no app is running')
  const input = { tunnel_key: key, https_proxy: '' }
  const lease: Lease = await holdLease({ app, dataDir: folder.path, input, signal: leaving.signal })
  return { key, lease, leave: () => leaving.abort() }
}
/** Returns whether a client with a key, an address and an authority gets to the end of a TLS handshake. */
const works = async ({ key, lease }: Awaited<ReturnType<typeof run>>) => {
  const connected = await askForTunnel(Number(new URL(lease.tunnel).port), `${API_HOST}:443`, key).catch(() => null)
  if (connected?.status !== 200) return false
  const secure = await beginTls(connected, { ca: lease.ca }).catch(() => null)
  secure?.destroy()
  return secure !== null
}

test('the client goes on at the same address with the same key, also after the hosts have changed', async () => {
  const first = await start()
  const client = await run()
  expect(await works(client)).toBe(true)
  await first.close()
  expect(await works(client)).toBe(false)

  await using second = await start({ 'proxy.intercept_hosts': [API_HOST, 'api.example.org'] })
  expect(second.tunnel).toBe(client.lease.tunnel)
  await until('its run has said that it lives', async () => works(client))
  const later = await run()
  expect([later.lease.fingerprints.length, await works(later)]).toEqual([2, true])
  // A client that starts now trusts both: only the first one needs the older authority.
  expect(later.lease.ca).toContain(client.lease.ca)

  // Long after the start only what a run needs is kept.
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 11 * 60_000)
  const another = await run()
  expect(another.lease.fingerprints).toHaveLength(2)
  expect(await works(client)).toBe(true)
  client.leave()
  await until('the older authority is forgotten', async () => {
    return !readFileSync(join(folder.path, 'ca.pem'), 'utf8').includes(client.lease.ca.trim())
  })
  expect(await works(later)).toBe(true)
  expect(await works(client)).toBe(false)
  later.leave()
  another.leave()
})

test('an app for one command leaves the port that clients know to the next app', async () => {
  const first = await start()
  await first.close()
  const known = readLastPort(folder.path)
  expect(known).toBe(Number(new URL(first.tunnel).port))
  const command = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, isForCommand: true })
  expect([command.tunnel === first.tunnel, readLastPort(folder.path)]).toEqual([false, known])
  await command.close()
})

test('a port that another program took meanwhile is given up, and so is a damaged note of it', async () => {
  const first = await start()
  await first.close()
  const taken = createServer().listen(Number(new URL(first.tunnel).port), '127.0.0.1')
  await once(taken, 'listening')
  const second = await start()
  expect(second.tunnel).not.toBe(first.tunnel)
  await second.close()
  expect((taken.address() as AddressInfo).port).toBe(Number(new URL(first.tunnel).port))
  taken.close()
  for (const text of ['0', '70000', 'x', '']) {
    writeFileSync(join(folder.path, LAST_PORT_FILE), text)
    expect(readLastPort(folder.path)).toBeNull()
  }
})
