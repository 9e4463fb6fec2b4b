import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig, type ConfigSources, type LoadedConfig } from '../config/load-config.ts'
import { defaultPorts, otherPortsText, steadyPorts } from './ports-of-run.ts'

/** Returns a port that another program uses. */
async function usedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'aspy-ports-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

/** Settings whose ports are taken as if they were the defaults. */
async function withTakenDefaults(sources: ConfigSources): Promise<LoadedConfig> {
  const loaded = loadConfig(sources)
  const { app, proxy } = loaded.config
  const config = { ...loaded.config, app: { ...app, port: await usedPort() } }
  return { ...loaded, config: { ...config, proxy: { ...proxy, port: await usedPort() } } }
}

test('all taken ports that somebody chose are named at once, with the file; nothing is written', async () => {
  const dataDir = folder()
  const file = join(dataDir, 'config.toml')
  const [app, proxy] = [await usedPort(), await usedPort()]
  const loaded = loadConfig({ file, flags: { 'app.port': app, 'proxy.port': proxy } })
  const said =
    `port ${app} ([app] port) and port ${proxy} ([proxy] port) are taken; ` +
    `choose another with --port N --proxy-port N, or in ${file}`
  await expect(steadyPorts({ dataDir, loaded })).rejects.toMatchObject({ code: 'port_taken', message: said })
  const mixed = { ...loaded, origins: new Map([...loaded.origins, ['app.port', 'default']] as const) }
  await expect(steadyPorts({ dataDir, loaded: mixed })).rejects.toThrow(`port ${proxy} ([proxy] port) is taken`)
  expect(existsSync(file)).toBe(false)
})

test('in place of taken defaults, free ports are written to the config file once, and comments stay', async () => {
  const dataDir = folder()
  const file = join(dataDir, 'config.toml')
  writeFileSync(file, '# mine\n[app] # the window\n', { mode: 0o600 })
  const said = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => said.mockRestore())
  const loaded = await withTakenDefaults({ file })
  expect(defaultPorts(loaded).map(({ port }) => port)).toContain(loaded.config.app.port)
  const steady = await steadyPorts({ dataDir, loaded })
  const { app, proxy } = steady.loaded.config
  expect(steady).toMatchObject({ left: [], moved: ['app.port', 'proxy.port'] })
  expect(readFileSync(file, 'utf8')).toBe(
    `# mine\n[app] # the window\nport = ${app.port}\n\n[proxy]\nport = ${proxy.port}\n`,
  )
  expect(said.mock.calls.flat()).toEqual(
    [
      [loaded.config.app.port, app.port],
      [loaded.config.proxy.port, proxy.port],
    ].map(([from, to]) => `aspy: another program uses port ${from}; this Aspy uses ${to} from now on (config.toml)`),
  )
  // One that started at the same time follows the file, and so does each one after it.
  for (const each of [loaded, steady.loaded])
    expect((await steadyPorts({ dataDir, loaded: each })).loaded.config).toEqual(steady.loaded.config)
  expect(said).toHaveBeenCalledTimes(2)
})

test('a file that cannot be changed, or that a person names, stays: taken defaults are left to the caller', async () => {
  const dataDir = folder()
  const file = join(dataDir, 'config.toml')
  const text = 'app = { }\nproxy = { }\n'
  writeFileSync(file, text, { mode: 0o600 })
  for (const isFileRequired of [false, true]) {
    const loaded = await withTakenDefaults({ file, isFileRequired })
    const { left, moved } = await steadyPorts({ dataDir, loaded })
    expect([left.map(({ flag }) => flag), moved]).toEqual([['--port', '--proxy-port'], []])
    expect((await steadyPorts({ dataDir, loaded }, ['app.port'])).left.map(({ flag }) => flag)).toEqual(['--port'])
    expect(otherPortsText(left, { app: 1, proxy: 2, tunnel: 3 })).toBe(
      `aspy: this Aspy has other ports than usual: dashboard 1, since another program uses ${loaded.config.app.port}; ` +
        `proxy 2, since another program uses ${loaded.config.proxy.port}. Commands on this folder find it.`,
    )
  }
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('free ports, and those of 0, are kept', async () => {
  const loaded = loadConfig({ file: '', flags: { 'app.port': 0, 'proxy.port': 0 } })
  expect(await steadyPorts({ dataDir: folder(), loaded })).toEqual({ loaded, left: [], moved: [] })
})
