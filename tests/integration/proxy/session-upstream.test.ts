import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nameUpstream } from '../../../src/main/base/session-upstreams.ts'
import { ask } from '../../support/app/ask.ts'
import { startKept, type KeptApp } from '../../support/keeper/kept-app.ts'
import { readStore } from '../../support/store/folder.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

// The upstream belongs to the session that asked for it: sessions with a gateway and without one live side by side.
let folder: TempFolder
let usual: MessagesUpstream
let gateway: MessagesUpstream
let kept: KeptApp
beforeAll(async () => {
  folder = makeTempFolder('aspy-upstream-')
  usual = await startMessagesUpstream(() => ({ steps: [{ text: 'usual' }] }))
  gateway = await startMessagesUpstream(() => ({ steps: [{ text: 'gateway' }] }))
  kept = await startKept(folder.path, usual.url)
})
afterAll(async () => {
  await kept?.[Symbol.asyncDispose]()
  await usual?.close()
  await gateway?.close()
  folder.remove()
})

const answer = async (base: string, session = 's-1') => {
  const response = await ask(base, { prompt: 'Which?', session, headers: { connection: 'close' } })
  return [response.status, await response.text()] as const
}
const own = () => `${kept.proxy}/${nameUpstream(folder.path, gateway.url)}`

test('each session goes to its own upstream, and is recorded as any other', async () => {
  const [direct, named] = await Promise.all([answer(kept.proxy, 's-direct'), answer(own(), 's-gateway')])
  expect([direct[1], named[1]]).toEqual([expect.stringContaining('usual'), expect.stringContaining('gateway')])
  expect(gateway.requests.map(({ path }) => path)).toEqual(['/v1/messages?beta=true'])
  const recorded = () =>
    readStore(join(folder.path, 'lifestats.db'), (db) =>
      db.prepare("SELECT DISTINCT session_id FROM events WHERE kind = 'api_usage' ORDER BY 1").pluck().all(),
    )
  await until('both are recorded', () => Promise.resolve(recorded().length === 2))
  expect(recorded()).toEqual(['s-direct', 's-gateway'])
})

test('also while the app is down', async () => {
  const base = own()
  writeFileSync(join(folder.path, 'config.toml'), 'no setting at all')
  kept.signal('SIGKILL')
  expect(await answer(base)).toEqual([200, expect.stringContaining('gateway')])
})

test('nothing is forwarded to what no session has asked for, or what somebody else wrote', async () => {
  const before = gateway.requests.length + usual.requests.length
  const file = join(folder.path, 'upstreams', readdirSync(join(folder.path, 'upstreams'))[0] ?? '')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const id of ['0'.repeat(32), '../token', '', 'x', '%2e%2e%2ftoken'])
    expect([id, (await answer(`${kept.proxy}/aspy-to-${id}`))[0]]).toEqual([id, 403])
  const other = nameUpstream(folder.path, 'http://127.0.0.1:1')
  writeFileSync(join(folder.path, 'upstreams', other.slice('aspy-to-'.length)), gateway.url)
  expect((await answer(`${kept.proxy}/${other}`))[0]).toBe(403)
  const third = nameUpstream(folder.path, 'http://127.0.0.1:2')
  chmodSync(join(folder.path, 'upstreams', third.slice('aspy-to-'.length)), 0o666)
  expect((await answer(`${kept.proxy}/${third}`))[0]).toBe(403)
  expect(gateway.requests.length + usual.requests.length).toBe(before)
})
