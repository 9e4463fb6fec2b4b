import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy, startAspy, type RunningCommand } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** A service whose app does not start after a login: clients whose settings name its ports work on. */

let upstream: MessagesUpstream
let folder: TempFolder
let args: readonly string[]
let proxy: string
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'yes' }] }))
})
afterAll(() => upstream.close())
beforeEach(async () => {
  folder = makeTempFolder('aspy-last-')
  const [app, port, tunnel] = [await freePort(), await freePort(), await freePort()].map(String)
  proxy = `http://127.0.0.1:${port}`
  const ports = ['--port', app, '--proxy-port', port, '--tunnel-port', tunnel].map(String)
  writeFileSync(settings(), '')
  args = ['serve', '--wait', '--data', folder.path, '--config', settings(), '--upstream', upstream.url, ...ports]
})
afterEach(() => folder.remove())

const stateIs = (state: string) =>
  until(`it is ${state}`, async () => (await askKeeper(folder.path, 'status'))?.state === state)
const answer = async () => (await ask(proxy, { prompt: 'Which?', session: 's-1' })).text()
/** Settings of the service alone. */
const settings = () => join(folder.path, 'service.toml')

/** Resolves once two apps of a service have ended with an error. */
const failsTwice = ({ child }: RunningCommand, error: string) =>
  new Promise<void>((resolve) => {
    let ends = 0
    child.stderr?.on('data', (bytes: Buffer) => {
      ends += bytes.toString().split(error).length - 1
      if (ends >= 2) resolve()
    })
  })

async function serveOnce(): Promise<void> {
  const before = startAspy(args)
  await stateIs('running')
  before.child.kill('SIGTERM')
  await before.finished
}

test('it passes by as after the last app, counts, and gives its ports to the app that starts at last', async () => {
  await serveOnce()
  expect(statSync(join(folder.path, 'keeper.json')).mode & 0o777).toBe(0o600)
  writeFileSync(settings(), 'no setting at all')
  const service = startAspy(args)
  try {
    await stateIs('starting')
    expect(await answer()).toContain('yes')
    const { code, stdout } = await aspyHere(['status', '--data', folder.path])
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/starting; clients go on, unrecorded[^]*Unrecorded +1 req/),
    ])
    writeFileSync(settings(), '')
    expect(await aspy(['restart', '--data', folder.path])).toMatchObject({ code: 0, stderr: '' })
    expect(await answer()).toContain('yes')
    expect((await askKeeper(folder.path, 'status'))?.passed.requests).toEqual({ 's-1': 1 })
  } finally {
    service.child.kill('SIGTERM')
    await service.finished
  }
})

heavily(test)(
  'it takes no port while another Aspy serves the folder, or from a file that others may have written',
  async () => {
    await serveOnce()
    const other = startAspy(args)
    await stateIs('running')
    const service = startAspy(args)
    try {
      await failsTwice(service, 'already serves')
      expect((await askKeeper(folder.path, 'status'))?.pid).toBe(other.child.pid)
      expect(await answer()).toContain('yes')
    } finally {
      service.child.kill('SIGTERM')
      other.child.kill('SIGTERM')
      await Promise.all([service.finished, other.finished])
    }
    writeFileSync(settings(), 'no setting at all')
    chmodSync(join(folder.path, 'keeper.json'), 0o666)
    const later = startAspy(args)
    await failsTwice(later, 'service.toml')
    await expect(answer()).rejects.toThrow('fetch failed')
    later.child.kill('SIGTERM')
    await later.finished
  },
)
