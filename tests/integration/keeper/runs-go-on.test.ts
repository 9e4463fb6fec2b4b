import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { findRunningApp, type RunningApp } from '../../../src/main/base/running-app.ts'
import { overHttp } from '../../../src/main/cli/client.ts'
import { whilePresent } from '../../../src/main/cli/client-presence.ts'
import { askLastingly } from '../../../src/main/cli/lasting-app.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { AspyError } from '../../../src/shared/contract/errors.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { startKept } from '../../support/keeper/kept-app.ts'
import { appServes, killApp } from '../../support/keeper/kill-app.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { API_HOST, askForTunnel, beginTls } from '../../support/tunnel/tunnel-under-test.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** What happens to the app while `aspy run` begins, and while its client is silent, ends no run. */

let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => (upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'yes' }] }))))
afterAll(() => upstream.close())
beforeEach(() => (folder = makeTempFolder('aspy-runs-')))
afterEach(() => folder.remove())

const running = async (): Promise<RunningApp> => {
  const app = await findRunningApp(folder.path)
  if (app === null) throw new Error('no app serves')
  return app
}

test('an app that is killed while a run asks it: the next one is asked', async () => {
  await using _ = await startKept(folder.path, upstream.url)
  const asked: number[] = []
  const health = await askLastingly(folder.path, await running(), async (app) => {
    asked.push(app.pid)
    const client = overHttp(app, folder.path)
    if (asked.length === 3) return client.call('health.get', {})
    // A stream that the kill cuts.
    const stream = client.stream('live.subscribe', { session_id: 'none' })[Symbol.asyncIterator]()
    const next = stream.next()
    await Promise.race([next, pause(500)])
    await killApp(folder.path)
    if (asked.length === 1) throw new AspyError('conflict', 'it cannot prove that it is this Aspy')
    return next.then(() => stream.next()).then(() => Promise.reject(new AspyError('gone', 'it has ended')))
  })
  expect(health?.upstream).toBe(upstream.url)
  expect(new Set(asked).size).toBe(3)
  const refused = askLastingly(folder.path, await running(), () => Promise.reject(new AspyError('bad_input', 'no')))
  await expect(refused).rejects.toThrow('no')
})

heavily(test)('a run whose client is silent keeps the next app, too, and lets it go once it has ended', async () => {
  await using kept = await startKept(folder.path, upstream.url, '--leave-after', '0.05')
  const app = await running()
  const silent = async () => {
    // It is present by then. What asks while no app serves waits for the next one.
    await pause(1000)
    await killApp(folder.path)
    await appServes(folder.path)
    await pause(6000)
    return (await askKeeper(folder.path, 'status'))?.state
  }
  expect(await whilePresent(app, folder.path, silent, [])).toBe('running')
  expect(await kept.finished).toMatchObject({ code: 0 })
})

test('a run in full mode begins without Aspy if no app starts, unless the settings refuse that', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "proxy:$HTTPS_PROXY"\n', { mode: 0o755 })
  const full = (env: Readonly<Record<string, string>> = {}) =>
    startAspy(['run', '--full', '--data', folder.path, '--', 'claude'], { PATH: bin, ...env }, folder.path).finished
  expect(await full()).toMatchObject({ code: 0, stdout: expect.stringContaining('proxy:http') })
  kept.signal('SIGSTOP')
  expect(await full()).toEqual({
    code: 0,
    signal: null,
    stdout: 'proxy:\n',
    stderr: expect.stringContaining('nothing of this run is recorded, and no cap of [guard] holds'),
  })
  expect(await full({ ASPY_GUARD_WHEN_AWAY: 'refuse' })).toMatchObject({ code: 1, stdout: '' })
})

test.skipIf(process.platform !== 'linux').each([
  ['a port of the settings is taken', (port: string) => writeFileSync(join(folder.path, 'config.toml'), port)],
  ['the disk is full', () => symlinkSync('/dev/full', join(folder.path, 'serve.log'))],
])('a run begins without Aspy if %s, unless the settings or what was typed need it', async (_, spoil) => {
  spoil(`[proxy]\nport = ${new URL(upstream.url).port}\n`)
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  for (const name of ['claude', 'codex'])
    writeFileSync(join(bin, name), '#!/bin/sh\necho "$ANTHROPIC_BASE_URL:$*"\n', { mode: 0o755 })
  const run = (client: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    startAspy(['run', ...flags, '--data', folder.path, '--', client, 'x'], { PATH: bin, ...env }, folder.path).finished
  const [needed, unrecorded] = [
    { code: 1, stdout: '' },
    / nothing of this run is recorded, and no cap of \[guard\] holds\n$/,
  ]
  for (const client of ['claude', 'codex'])
    expect(await run(client)).toMatchObject({ code: 0, stdout: ':x\n', stderr: expect.stringMatching(unrecorded) })
  expect(await run('claude', [], { ASPY_GUARD_WHEN_AWAY: 'refuse' })).toMatchObject(needed)
  expect(await run('claude', ['--upstream', upstream.url])).toMatchObject(needed)
})

test('a run without Aspy does not send a client to another program that has its port', async () => {
  const [url, api] = [upstream.url, 'https://api.anthropic.com']
  const set = (value: string) => JSON.stringify({ env: { ANTHROPIC_BASE_URL: value } })
  writeFileSync(join(folder.path, 'config.toml'), `[proxy]\nport = ${new URL(url).port}\n`)
  for (const name of ['bin', '.claude', '.codex']) mkdirSync(join(folder.path, name))
  for (const name of ['bin/claude', 'bin/codex'])
    writeFileSync(join(folder.path, name), '#!/bin/sh\necho "$ANTHROPIC_BASE_URL $*"\n', { mode: 0o755 })
  const start = (client: string, env: Readonly<Record<string, string>> = {}) => {
    const line = ['run', '--data', folder.path, '--', client, 'x']
    return startAspy(line, { PATH: join(folder.path, 'bin'), ...env }, folder.path).finished
  }
  const run = async (env?: Readonly<Record<string, string>>) => (await start('claude', env)).stdout
  expect(await run({ ANTHROPIC_BASE_URL: url })).toBe(`${api} x\n`)
  expect(await run({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })).toBe('http://127.0.0.1:1 x\n')
  writeFileSync(join(folder.path, '.claude/settings.json'), set(url))
  expect(await run()).toBe(`${api} --settings ${set(api)} x\n`)
  writeFileSync(join(folder.path, '.codex/config.toml'), `openai_base_url = "${url}/v1"\n`)
  // Which API is Codex's own depends on how it is logged in.
  expect(await start('codex')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('aspy off --data'),
  })
})

test('after a kill, the first tunnel of a run to the API is read, before the run has come back', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const key = createTunnelKey()
  const leases = overHttp(await running(), folder.path).stream('tunnel.lease', { tunnel_key: key })
  const { value: lease } = await leases[Symbol.asyncIterator]().next()
  await killApp(folder.path)
  const connected = await askForTunnel(Number(new URL(kept.tunnel).port), `${API_HOST}:443`, key)
  expect([connected.status, connected.body]).toEqual([200, ''])
  const secure = await beginTls(connected, { ca: lease?.ca })
  expect(secure.authorized).toBe(true)
  secure.destroy()
})
