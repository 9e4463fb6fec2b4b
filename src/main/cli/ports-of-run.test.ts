import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../config/load-config.ts'
import { otherPortsText, refuseTakenPorts, takenDefaults } from './ports-of-run.ts'

/** Returns a port that another program uses. */
async function usedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('ports that nobody chose are replaced; all that somebody chose are named at once, with the file', async () => {
  const [app, proxy] = [await usedPort(), await usedPort()]
  const loaded = loadConfig({ file: '/none/config.toml', flags: { 'app.port': app, 'proxy.port': proxy } })
  const said =
    `port ${app} ([app] port) and port ${proxy} ([proxy] port) are taken; ` +
    'choose another with --port N --proxy-port N, or in /none/config.toml'
  await expect(takenDefaults(loaded)).rejects.toMatchObject({ code: 'port_taken', message: said })
  await expect(refuseTakenPorts(loaded)).rejects.toThrow(said)

  const unchosen = {
    ...loaded,
    origins: new Map([...loaded.origins, ['proxy.port', 'default'], ['app.port', 'default']] as const),
  }
  const taken = await takenDefaults(unchosen)
  expect(taken.map(({ flag }) => flag)).toEqual(['--port', '--proxy-port'])
  expect(otherPortsText(taken, { app: 1, proxy: 2, tunnel: 3 }, false)).toBe(
    `aspy: this Aspy has other ports than usual: dashboard 1, since another program uses ${app}; ` +
      `proxy 2, since another program uses ${proxy}. Commands on this folder find it.`,
  )
  expect(otherPortsText(taken, { app: 1, proxy: 2 }, true)).toMatch(/hooks do not: .* then run aspy setup\.$/)
  expect(await takenDefaults(loadConfig({ file: '', flags: { 'app.port': 0, 'proxy.port': 0 } }))).toEqual([])
})
