import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withTypedHere } from '../../../src/main/base/folder-of-run.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ASPY_ENTRY, aspy, startAspy, type RunningCommand } from '../../support/app/aspy-command.ts'
import { endKeeper } from '../../support/keeper/end-keeper.ts'
import { killApp } from '../../support/keeper/kill-app.ts'
import { mayMount } from '../../support/runner/may-mount.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { few, heavily } from '../../support/runner/heavy.ts'

/** An app that is gone for good: clients work on, and the person learns it once. */

/** A client that begins, and asks once the file `go` is there. */
const CLIENT = `#!${process.execPath}
const { existsSync, writeFileSync } = require('node:fs')
writeFileSync(process.env.ROOM + '/begun-' + process.argv[2], '')
// It outlives no test: the app that it uses would do so, too.
setTimeout(() => process.exit(1), 480_000)
const timer = setInterval(async () => {
  if (!existsSync(process.env.ROOM + '/go-' + process.argv[2])) return
  clearInterval(timer)
  const headers = { 'x-api-key': 'sk-ant-dummy', 'content-type': 'application/json', connection: 'close' }
  const body = JSON.stringify({ model: 'claude-sonnet-5-5', messages: [{ role: 'user', content: 'on' }], stream: true })
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body })
  const text = await response.text()
  console.log(response.status, text.includes('message_stop'))
  process.exit()
}, 20)
`

let upstream: MessagesUpstream
let room: TempFolder
let data: string
let entry: string
/** What was started, with its clients: a test that failed has not ended them. */
const runs: RunningCommand[] = []
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'yes' }] }))
})
afterAll(() => upstream.close())
beforeEach(() => {
  room = makeTempFolder('aspy-gone-')
  data = join(room.path, 'data')
  entry = join(room.path, 'installed', basename(ASPY_ENTRY))
  symlinkSync(dirname(ASPY_ENTRY), dirname(entry))
  for (const folder of ['data', 'bin']) mkdirSync(join(room.path, folder), { mode: 0o700 })
  writeFileSync(join(room.path, 'bin', 'claude'), CLIENT, { mode: 0o755 })
})
afterEach(async () => {
  for (const { signal } of runs.splice(0)) signal('SIGKILL')
  // A test that failed may have left the keeper in the folder that was moved.
  for (const folder of [data, inRoom('moved')])
    if ((await askKeeper(folder, 'status')) !== null) await endKeeper(folder)
  room.remove()
})

/** A command as it works in any terminal, on this folder. */
const typed = (command: string) => withTypedHere(`aspy ${command}`, data)

const inRoom = (name: string) => join(room.path, name)

/** Starts a client by `aspy run`, and resolves once it runs. */
async function run(
  name: string,
  dataDir = data,
  flags = ['--port', '0', '--proxy-port', '0', '--tunnel-port', '0', '--upstream', upstream.url],
  variables: Readonly<Record<string, string>> = {},
) {
  const env = { PATH: inRoom('bin'), ROOM: room.path, ...variables }
  const running = startAspy(
    ['run', '--data', dataDir, ...flags, '--', 'claude', name],
    env,
    room.path,
    room.path,
    entry,
  )
  runs.push(running)
  await until('the client runs', () => Promise.resolve(existsSync(inRoom(`begun-${name}`))))
  return running
}

/** Lets the client ask, and resolves with how its run ended. */
async function end(name: string, { finished }: Awaited<ReturnType<typeof run>>) {
  writeFileSync(inRoom(`go-${name}`), '')
  const { code, stdout, stderr } = await finished
  return { code, stdout, stderr }
}

/** Ends the app after a step that lets no other one start, and resolves once its keeper knows. */
async function lose(step: () => void): Promise<void> {
  step()
  await killApp(data)
  await until('its keeper knows', async () => (await askKeeper(data, 'status'))?.trouble !== null)
}

const ANSWERED = { code: 0, stdout: '200 true\n' }
interface Telling {
  readonly line: string
  readonly notice: string
}

const NO_START: Telling = {
  line: 'one request passed unrecorded, because the app does not start',
  notice: 'Aspy does not start',
}
const NO_STORE: Telling = {
  line: 'nothing is recorded, because the data folder cannot be written',
  notice: 'Aspy cannot write to its data folder',
}

async function theClientWorksOn(step: () => void, { line }: Telling): Promise<void> {
  const [first, second] = [await run('first'), await run('second')]
  await lose(step)
  expect(await end('first', first)).toEqual({ ...ANSWERED, stderr: `aspy: ${line}; see ${typed('status')}\n` })
  expect(await end('second', second)).toEqual({ ...ANSWERED, stderr: '' })
}

/** The same with a program that shows notices, and writes down what it is asked to. */
async function theClientWorksOnInADesktop(step: () => void, { notice }: Telling): Promise<void> {
  const shown = inRoom('shown')
  writeFileSync(inRoom('bin/notify-send'), `#!/bin/sh\necho "$2: $3" >> '${shown}'\n`, { mode: 0o755 })
  const running = await run('first')
  await lose(step)
  expect(await end('first', running)).toEqual({ ...ANSWERED, stderr: '' })
  expect(readFileSync(shown, 'utf8')).toBe(
    `${notice}: Clients work on, unrecorded. To see why, run ${typed('status')}.\n`,
  )
}

const ALL = [
  ['without a desktop', theClientWorksOn],
  ['in a desktop', theClientWorksOnInADesktop],
] as const

describe('the data folder is moved', () => {
  test('commands say so, and the app that is started then records into a new one, for the clients of before', async () => {
    const running = await run('first')
    renameSync(data, inRoom('moved'))
    const says = (command: string) => aspy([command, '--data', data]).then(({ stdout }) => stdout)
    const gone = `${data} was moved or removed while Aspy ran: what it records is in the folder of before, or lost.`
    await until('status says so', async () => (await says('status')).includes(`Trouble       ${gone}\n`))
    expect(await says('doctor')).toContain(
      `running, with a warning: ${gone}\n${' '.repeat(24)}→ Run ${typed('restart')}: it`,
    )
    expect(await says('restart')).toMatch(/^Aspy runs /)
    expect(await says('status')).not.toContain('Trouble')
    expect(await end('first', running)).toMatchObject(ANSWERED)
    const recorded = async () =>
      JSON.parse(await aspy(['sessions', '--json', '--data', data]).then(({ stdout }) => stdout))
    await expect.poll(recorded).toMatchObject({ items: [expect.anything()] })
  })

  heavily(test)(
    'after a stop, a client in its new place runs as without Aspy, until the keeper of before has ended',
    async () => {
      const before = await run('first')
      await end('first', before)
      await aspy(['stop', '--data', data])
      const keeper = (await askKeeper(data, 'status'))?.pid
      renameSync(data, inRoom('moved'))
      const there = ['--data', inRoom('moved')]
      const refused = { code: 1, stderr: expect.stringContaining('was moved') }
      for (const command of [['restart'], []]) expect(await aspy([...command, ...there])).toMatchObject(refused)
      const during = await end('second', await run('second', inRoom('moved'), [], { ANTHROPIC_BASE_URL: upstream.url }))
      expect(during).toEqual({
        ...ANSWERED,
        stderr: expect.stringMatching(/was moved[^]*stop --now[^]*nothing of this run is recorded/),
      })
      expect((await askKeeper(inRoom('moved'), 'status'))?.pid).toBe(keeper)
      expect(await aspy(['stop', '--now', ...there])).toMatchObject({ code: 0 })
      expect(await end('third', await run('third', inRoom('moved')))).toMatchObject(ANSWERED)
      expect(existsSync(data)).toBe(false)
      const sessions = await aspy(['sessions', '--json', ...there])
      expect(JSON.parse(sessions.stdout)).toMatchObject({ items: [expect.anything(), expect.anything()] })
    },
  )
})

heavily(describe)('the program is removed', () => {
  test.each(few(ALL.toReversed(), 1))('%s', (_, works) => works(() => rmSync(dirname(entry)), NO_START))
})

heavily(describe)('every start fails', () => {
  test.each(few(ALL, 1))('%s', (_, works) =>
    works(() => writeFileSync(join(data, 'config.toml'), 'no setting at all'), NO_START),
  )
})

heavily(describe.skipIf(!mayMount()))('the data folder is read-only', () => {
  afterEach(async () => {
    await endKeeper(data)
    execFileSync('umount', ['-l', data])
  })
  // What is open stays writable: a mount over it.
  const freeze = () => {
    execFileSync('mount', ['--bind', data, data])
    execFileSync('mount', ['-o', 'remount,bind,ro', data])
  }
  test.each(few(ALL, 1))('%s', (_, works) => works(freeze, NO_STORE))
})
