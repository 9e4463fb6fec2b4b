import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isProcessAlive } from '../../../src/main/base/is-process-alive.ts'
import { readKey } from '../../../src/main/base/data-folder.ts'
import { createTunnelKey, installTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ask } from '../../support/app/ask.ts'
import { ASPY_ENTRY, aspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startKept, startKeptFrom, type KeptApp } from '../../support/keeper/kept-app.ts'
import { killApp } from '../../support/keeper/kill-app.ts'
import { few } from '../../support/runner/heavy.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { askForTunnel } from '../../support/tunnel/tunnel-under-test.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Linux has it. */
const STATUS = '/proc/self/status'

const PRLIMIT = '/usr/bin/prlimit'

/** Hostile requests and faults of the machine, in each state of the keeper. */

let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => {
  upstream = await startMessagesUpstream(({ body }) => {
    const text = lastUserText(body)
    return { steps: [{ text: 'begun' }, ...(text.startsWith('hold') ? [{ hold: text }] : []), { text: 'ended' }] }
  })
})
afterAll(() => upstream.close())
beforeEach(() => (folder = makeTempFolder('aspy-attacks-')))
afterEach(() => folder.remove())

const answer = async (kept: KeptApp, prompt: string) => {
  const response = await ask(kept.proxy, { prompt, session: 's-1', headers: { connection: 'close' } })
  return [response.status, (await response.text()).includes('ended')]
}
/** Makes every later start of the app fail, and ends the one that runs. */
const endForGood = async (kept: KeptApp) => {
  writeFileSync(join(kept.data, 'config.toml'), 'no setting at all')
  await killApp(kept.data)
}
/** The first line of the answer to a head. */
const statusOf = (port: number, head: string) =>
  new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(`${head}\r\n\r\n`))
    socket.on('data', (bytes) => (text += bytes.toString('latin1')))
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? '')).on('error', () => resolve('reset'))
  })
/** What the keeper says to bytes on its socket. */
const controlled = (bytes: string) =>
  new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(join(folder.path, 'keeper.sock'), () => socket.end(bytes))
    socket.on('data', (part) => (text += part.toString()))
    socket.on('close', () => resolve(text)).on('error', () => undefined)
  })

const STATES = [
  ['while the app serves', () => Promise.resolve()],
  ['while the app is stopped', (kept: KeptApp) => Promise.resolve(void kept.signal('SIGSTOP'))],
  ['while the app cannot start', endForGood],
] as const

describe.each(few(STATES, 2))('%s', (_, enter) => {
  test('nothing is admitted that the proxy refuses', async () => {
    // Before it starts: an app notices a new key only after a second.
    const key = installTunnelKey(folder.path)
    await using kept = await startKept(folder.path, upstream.url)
    const stopped = kept.appPid()
    await enter(kept)
    const port = Number(new URL(kept.proxy).port)
    const host = `host: 127.0.0.1:${port}`
    const asked = upstream.requests.length
    const refused: readonly (readonly [status: number, head: string])[] = [
      [403, 'GET /v1/models HTTP/1.1\r\nhost: evil.example'],
      [403, `GET /v1/models HTTP/1.1\r\nhost: evil.example:${port}`],
      [403, `GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1.evil.example:${port}`],
      [403, `GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port - 1}`],
      [403, `GET /v1/models HTTP/1.1\r\n${host}\r\norigin: http://127.0.0.1:${port}`],
      [403, `GET /v1/models HTTP/1.1\r\n${host}\r\norigin: null`],
      [403, `GET /v1/models HTTP/1.1\r\n${host}\r\nsec-fetch-site: none`],
      [400, `GET http://evil.example/ HTTP/1.1\r\n${host}`],
      [400, `POST /v1/messages HTTP/1.1\r\n${host}\r\ncontent-length: 3\r\ntransfer-encoding: chunked`],
      [400, `GET /v1/models HTTP/1.1`],
      [405, `CONNECT evil.example:443 HTTP/1.1\r\n${host}`],
      [403, `GET /v1/models HTTP/1.1\r\n${host}\r\nauthorization: Bearer sk-proj-1`],
      [403, `GET /openai/v1/models HTTP/1.1\r\n${host}\r\nauthorization: Bearer sk-ant-1`],
      [403, `GET /aspy-to-${'0'.repeat(32)}/v1/models HTTP/1.1\r\n${host}`],
    ]
    for (const [status, head] of refused)
      expect([head, await statusOf(port, head)]).toEqual([head, expect.stringContaining(` ${status} `)])
    expect(upstream.requests.length).toBe(asked)

    const app = Number(new URL(kept.app).port)
    const at = `POST /api/hooks HTTP/1.1\r\nhost: 127.0.0.1:${app}`
    const hooks = `authorization: Bearer ${readKey(folder.path, 'hooks')}`
    const mcp = `authorization: Bearer ${readKey(folder.path, 'mcp')}`
    const body = '{"session_id":"s-1","hook_event_name":"Stop"}'
    const whole = `content-length: ${body.length}\r\n\r\n${body}`
    const hooked: readonly (readonly [status: number, head: string])[] = [
      [200, `${at}\r\n${hooks}\r\n${whole}`],
      [401, `${at}\r\n${whole}`],
      [401, `${at}\r\nauthorization: Bearer ${'x'.repeat(43)}\r\n${whole}`],
      [403, `${at}\r\n${mcp}\r\n${whole}`],
      [403, `POST /api/hooks HTTP/1.1\r\nhost: evil.example:${app}\r\n${hooks}\r\n${whole}`],
      [403, `${at}\r\n${hooks}\r\norigin: https://evil.example\r\n${whole}`],
      [403, `${at}\r\n${hooks}\r\norigin: null\r\n${whole}`],
    ]
    for (const [status, head] of hooked)
      expect([head, await statusOf(app, head)]).toEqual([head, expect.stringContaining(` ${status} `)])

    const tunnel = Number(new URL(kept.tunnel).port)
    for (const wrong of [createTunnelKey(), '', null])
      expect((await askForTunnel(tunnel, 'example.org:443', wrong)).status).toBe(407)
    for (const target of [
      '127.0.0.1:22',
      'localhost:22',
      '[::1]:22',
      '169.254.169.254:80',
      '0.0.0.0:22',
      '[::ffff:127.0.0.1]:22',
    ])
      expect([target, (await askForTunnel(tunnel, target, key)).status]).toEqual([target, 403])
    if (isProcessAlive(stopped)) process.kill(stopped, 'SIGCONT')
  })
})

test('forged words on its socket do nothing, and only the owner reaches it', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const before = await askKeeper(folder.path, 'status')
  for (const bytes of [
    '',
    'shutdown',
    'STOP',
    'stop\n',
    '{"kind":"ready"}',
    'status status',
    'x'.repeat(100_000),
    '\u0000',
  ])
    expect([bytes.slice(0, 20), await controlled(bytes)]).toEqual([bytes.slice(0, 20), ''])
  // Callers that never end their word.
  const idle = Array.from({ length: 50 }, () => connect(join(folder.path, 'keeper.sock')))
  expect(await askKeeper(folder.path, 'status')).toEqual(before)
  for (const socket of idle) socket.destroy()
  expect(statSync(folder.path).mode & 0o777).toBe(0o700)
  expect(await answer(kept, 'after')).toEqual([200, true])
})

test('a program that was removed: clients pass by, and status says why', async () => {
  const link = join(folder.path, 'installed')
  symlinkSync(dirname(ASPY_ENTRY), link)
  await using kept = await startKeptFrom(join(link, basename(ASPY_ENTRY)), join(folder.path, 'data'), upstream.url)
  rmSync(link)
  await killApp(kept.data)
  expect(await answer(kept, 'removed')).toEqual([200, true])
  await until('it has been tried twice', async () => ((await askKeeper(kept.data, 'status'))?.quickEnds ?? 0) >= 2)
  const { code, stdout } = await aspyHere(['status', '--data', kept.data])
  expect(code).toBe(3)
  expect(stdout).toMatch(/starting; clients go on, unrecorded/)
  expect(stdout).toMatch(
    /Trouble +the app ended soon after its last \d+ starts; see what it printed where it was started/,
  )
  expect(stdout).toMatch(/Unrecorded +1 request, 0 tunnels within 1 second, \d{4}-\S+ \d\d:\d\d/)
})

test('a stopped keeper: streams go on, a new request waits, a new client runs without Aspy, and it is said why', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const streaming = answer(kept, 'hold the stopped keeper')
  using _ = await upstream.held('hold the stopped keeper')
  process.kill(kept.keeperPid, 'SIGSTOP')
  const waiting = answer(kept, 'meanwhile')
  upstream.release('hold the stopped keeper')
  expect(await streaming).toEqual([200, true])
  const at = ['--data', kept.data]
  const said = `the keeper of Aspy or its app (process ${kept.appPid()}) does not answer`
  const [status, stop, run] = await Promise.all([
    aspy(['status', ...at]),
    aspy(['stop', ...at]),
    aspy(['run', ...at, '--', 'node', '--version']),
  ])
  expect([status.code, stop.code, run.code, run.stdout]).toEqual([3, 1, 0, `${process.version}\n`])
  for (const words of [status.stdout, stop.stderr, run.stderr]) expect(words.replaceAll(/\s+/g, ' ')).toContain(said)
  process.kill(kept.keeperPid, 'SIGCONT')
  expect(await waiting).toEqual([200, true])
})

test('a stopped app that has lost its keeper: status names it', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const app = kept.appPid()
  process.kill(kept.keeperPid, 'SIGKILL')
  await until('the app answers for its keeper', async () => (await askKeeper(kept.data, 'status'))?.pid === app)
  process.kill(app, 'SIGSTOP')
  const { code, stdout } = await aspy(['status', '--data', kept.data])
  process.kill(app, 'SIGCONT')
  expect([code, stdout.replaceAll(/\s+/g, ' ')]).toEqual([3, expect.stringContaining(`its app (process ${app}) does`)])
})

test.skipIf(lacks(existsSync(STATUS)))('Ctrl+Z stops neither the keeper nor its app', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const caught = (pid: number) =>
    BigInt(`0x${/SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]}`)
  // Without a terminal, the signal itself stops no process.
  for (const pid of [kept.keeperPid, kept.appPid()])
    expect((caught(pid) >> BigInt(constants.signals.SIGTSTP - 1)) & 1n).toBe(1n)
})

test.skipIf(lacks(existsSync(PRLIMIT)))('a keeper out of descriptors: streams go on, and it recovers', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const streaming = answer(kept, 'hold the starved keeper')
  using _ = await upstream.held('hold the starved keeper')
  const limit = (files: number) => spawnSync(PRLIMIT, [`--pid=${kept.keeperPid}`, `--nofile=${files}:4096`]).status
  expect(limit(readdirSync(`/proc/${kept.keeperPid}/fd`).length)).toBe(0)
  const starved = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => answer(kept, `starved ${at}`)))
  expect(starved.length).toBe(20)
  upstream.release('hold the starved keeper')
  expect(await streaming).toEqual([200, true])
  limit(4096)
  expect(await answer(kept, 'after')).toEqual([200, true])
  expect((await askKeeper(folder.path, 'status'))?.state).toBe('running')
})
