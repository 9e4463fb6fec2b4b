import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isProcessAlive } from '../../../src/main/base/is-process-alive.ts'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy, ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { InstalledBuilds } from '../../support/keeper/installed-builds.ts'
import { startKept, startKeptFrom, type KeptApp } from '../../support/keeper/kept-app.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { readStore } from '../../support/store/folder.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { askForTunnel } from '../../support/tunnel/tunnel-under-test.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Linux has it. */
const TASKS = '/proc/self/task'

/** The keeper holds the ports: what happens to its app, and to itself, reaches no client. */

let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => {
  upstream = await startMessagesUpstream((asked) => {
    const text = lastUserText(asked.body)
    return {
      steps: text.startsWith('hold') ? [{ text: 'begun' }, { hold: text }, { text: 'ended' }] : [{ text: 'yes' }],
    }
  })
})
afterAll(() => upstream.close())
beforeEach(() => (folder = makeTempFolder('aspy-keeper-')))
afterEach(() => folder.remove())

const answer = async (kept: KeptApp, prompt: string, session = 's-1') => {
  const response = await ask(kept.proxy, { prompt, session, headers: { connection: 'close' } })
  return { status: response.status, text: await response.text() }
}
const ROUNDS = runs(1, 5)
/** Requests of the upstream that have this prompt. */
const seen = (prompt: string) => upstream.requests.filter(({ body }) => lastUserText(body) === prompt).length
const passedOf = async (session: string) => (await askKeeper(folder.path, 'status'))?.passed.requests[session] ?? 0
/** Makes every later start of the app fail, and kills the one that runs. */
const endForGood = (kept: KeptApp) => {
  writeFileSync(join(kept.data, 'config.toml'), 'no setting at all')
  kept.signal('SIGKILL')
}

test('after a kill at a random moment a new request waits for the next app and is answered once', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(300 * Math.random())
    const before = kept.signal('SIGKILL')
    expect(await answer(kept, `question ${round}`)).toMatchObject({ status: 200 })
    expect(seen(`question ${round}`)).toBe(1)
    await kept.nextApp(before)
  }
})

heavily(test)('a stopped app counts as down for new connections, and serves none of them when it goes on', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const stopped = kept.signal('SIGSTOP')
  // On the app's port, the keeper answers, without an app's proof.
  const at = ['--data', folder.path]
  const commands = Promise.all([aspy(['status', ...at]), aspy(['run', ...at, '--', 'node', '--version'])])
  const prompts = ['one', 'two', 'three'].map((name) => `stopped ${name}`)
  for (const { status, text } of await Promise.all(prompts.map((prompt) => answer(kept, prompt)))) {
    expect([status, text.includes('yes')]).toEqual([200, true])
  }
  const setting = await aspy(['config', 'get', 'guard.day_usd', ...at])
  const [said, run] = await commands
  expect([said.code, run.code]).toEqual([3, 0])
  expect(setting).toMatchObject({ code: 0, stdout: '0\n', stderr: '' })
  expect(said.stdout).toMatch(/not answering; clients go on, unrecorded[^]*Trouble +the app \(pid \d+\) does not/)
  process.kill(stopped, 'SIGCONT')
  await until('it takes connections again', async () => {
    const before = await passedOf('after')
    await answer(kept, 'after', 'after')
    return (await passedOf('after')) === before
  })
  expect(prompts.map(seen)).toEqual([1, 1, 1])
  expect(await passedOf('s-1')).toBe(3)
})

test('an app that cannot start is passed by: clients go on, by the rules of the proxy, and are counted', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  endForGood(kept)
  expect(await answer(kept, 'unrecorded')).toMatchObject({ status: 200 })
  expect((await askKeeper(folder.path, 'status'))?.passed).toMatchObject({ requests: { 's-1': 1 }, tunnels: 0 })

  const { port } = new URL(kept.proxy)
  const raw = (head: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(`${head}\r\n\r\n`))
      socket
        .on('data', (bytes) => (text += bytes.toString('latin1')))
        .on('close', () => resolve(text.split('\r\n')[0] ?? ''))
      socket.on('error', () => resolve('reset'))
    })
  const host = `host: 127.0.0.1:${port}`
  expect(await raw('GET /v1/models HTTP/1.1\r\nhost: evil.example')).toMatch(/ 403 /)
  expect(await raw(`GET /v1/models HTTP/1.1\r\n${host}\r\norigin: http://127.0.0.1`)).toMatch(/ 403 /)
  expect(await raw(`GET /v1/models HTTP/1.1\r\n${host}\r\nsec-fetch-site: none`)).toMatch(/ 403 /)
  expect(await raw(`GET http://evil.example/ HTTP/1.1\r\n${host}`)).toMatch(/ 400 /)
  expect(await raw(`CONNECT evil.example:443 HTTP/1.1\r\n${host}`)).toMatch(/ 405 /)
  expect(await raw(`GET /v1/models HTTP/1.1\r\n${host}\r\nauthorization: Bearer sk-proj-1`)).toMatch(/ 403 /)
  const tunnel = Number(new URL(kept.tunnel).port)
  expect((await askForTunnel(tunnel, 'example.org:443', createTunnelKey())).status).toBe(407)
  expect((await fetch(`${kept.app}/healthz`)).status).toBe(503)
})

heavily(test)('each session is marked with the requests that passed while no app served, once', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const settings = join(kept.data, 'config.toml')
  const marks = (session: string) =>
    readStore(join(kept.data, 'lifestats.db'), (db) =>
      db
        .prepare<[string], string>(
          "SELECT payload ->> 'message' FROM events WHERE session_id = ? AND payload ->> 'type' = 'unrecorded' ORDER BY id",
        )
        .pluck()
        .all(session),
    )
  endForGood(kept)
  await answer(kept, 'one', 's-1')
  await answer(kept, 'two', 's-1')
  await answer(kept, 'three', 's-2')
  rmSync(settings)
  await aspy(['restart', '--data', folder.path])
  await until('both sessions are marked', () => Promise.resolve(marks('s-1').length + marks('s-2').length === 2))
  expect(marks('s-1')).toEqual([
    expect.stringMatching(/^2 requests passed unrecorded until \d{4}-\d\d-\d\d \d\d:\d\d, because/),
  ])
  expect(marks('s-2')).toEqual([expect.stringMatching(/^1 request passed unrecorded/)])
  // Settings that cannot be read: the app comes back on its own once they can be.
  mkdirSync(settings)
  const before = kept.signal('SIGKILL')
  expect(await answer(kept, 'four', 's-1')).toMatchObject({ status: 200 })
  rmSync(settings, { recursive: true })
  await kept.nextApp(before)
  await until('the second time is marked', () => Promise.resolve(marks('s-1').length === 2))
  expect([marks('s-1')[1], marks('s-2').length]).toEqual([expect.stringMatching(/^1 request/), 1])
})

test('the keeper dies: the app binds the ports itself, goes on and ends in order', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const streaming = answer(kept, 'hold the keeper')
  using _ = await upstream.held('hold the keeper')
  process.kill(kept.keeperPid, 'SIGKILL')
  await until('the app serves its ports', async () => {
    const answered = await answer(kept, 'alone').catch(() => null)
    return answered?.status === 200
  })
  upstream.release('hold the keeper')
  expect((await streaming).text).toContain('ended')
  const pid = kept.signal('SIGTERM')
  await until('the app has ended', () => Promise.resolve(!isProcessAlive(pid)))
})

heavily(test)(
  'an app that has lost its keeper leaves its ports to the next one, and finishes its streams',
  async () => {
    await using first = await startKept(folder.path, upstream.url)
    process.kill(first.keeperPid, 'SIGKILL')
    await until('the app goes on', async () => (await askKeeper(folder.path, 'status'))?.pid === first.appPid())
    const streaming = answer(first, 'hold the old app')
    using _ = await upstream.held('hold the old app')
    const ports = [first.app, first.proxy, first.tunnel].map((url) => new URL(url).port)
    const flags = ['--port', '--proxy-port', '--tunnel-port'].flatMap((flag, at) => [flag, ports[at] ?? ''])
    await using second = await startKept(folder.path, upstream.url, ...flags)
    expect([second.app, second.proxy, second.tunnel]).toEqual([first.app, first.proxy, first.tunnel])
    expect(await answer(second, 'the next app')).toMatchObject({ status: 200 })
    expect((await askKeeper(folder.path, 'status'))?.pid).toBe(second.keeperPid)
    upstream.release('hold the old app')
    expect((await streaming).text).toContain('ended')
  },
)

test('SIGTERM cuts no answer', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const streaming = answer(kept, 'hold the end')
  using _ = await upstream.held('hold the end')
  process.kill(kept.keeperPid, 'SIGTERM')
  // Longer than an app without a keeper waits.
  await pause(3500)
  upstream.release('hold the end')
  expect((await streaming).text).toContain('ended')
  expect(await kept.finished).toMatchObject({ code: 0 })
})

heavily(test)(
  'a signal that ends the app alone brings another one first; one that ends both cuts nothing either',
  async () => {
    await using kept = await startKept(folder.path, upstream.url)
    const [one, other] = ['hold the signal', 'hold the hangup'].map((name) => answer(kept, name))
    await Promise.all([upstream.held('hold the signal'), upstream.held('hold the hangup')])
    const before = kept.signal('SIGTERM')
    await kept.nextApp(before)
    expect(await answer(kept, 'after the signal')).toMatchObject({ status: 200 })
    expect(await passedOf('s-1')).toBe(0)
    upstream.release('hold the signal')
    expect((await one)?.text).toContain('ended')
    const third = answer(kept, 'hold the end of both')
    using _ = await upstream.held('hold the end of both')
    kept.signal('SIGHUP')
    process.kill(kept.keeperPid, 'SIGHUP')
    await until('the keeper ends', async () => (await askKeeper(folder.path, 'status'))?.state === 'ending')
    for (const name of ['hold the hangup', 'hold the end of both']) upstream.release(name)
    expect([(await other)?.text, (await third).text]).toEqual([
      expect.stringContaining('ended'),
      expect.stringContaining('ended'),
    ])
    expect(await kept.finished).toMatchObject({ code: 0 })
  },
)

test('a restart that fails names the log only if what fails is written to it', async () => {
  await using _ = await startKept(folder.path, upstream.url)
  writeFileSync(join(folder.path, 'config.toml'), 'no setting at all')
  // Of an app before, which a command had started.
  writeFileSync(join(folder.path, 'serve.log'), '')
  expect((await aspy(['restart', '--data', folder.path])).stderr).toContain('see what it printed where it was started.')
  expect((await aspy(['status', '--data', folder.path])).stdout).toMatch(
    /Trouble +This app goes on, because the one that/,
  )
})

test.skipIf(lacks(existsSync(TASKS)))('a restart that a stop overtakes says so', async () => {
  const builds = new InstalledBuilds(folder.path)
  builds.add('build')
  builds.install('build')
  const data = join(folder.path, 'data')
  await using kept = await startKeptFrom(builds.entry, data, upstream.url)
  writeFileSync(builds.entry, 'setInterval(() => undefined, 1000)')
  const restarting = aspy(['restart', '--data', data])
  const children = `/proc/${kept.keeperPid}/task/${kept.keeperPid}/children`
  await until('a new app starts', () => Promise.resolve(readFileSync(children, 'utf8').trim().includes(' ')))
  expect(await aspy(['stop', '--data', data])).toMatchObject({ code: 0 })
  expect((await restarting).stderr).toContain('another command has stopped Aspy meanwhile')
})

test('a stop that a restart overtakes says so', async () => {
  const at = ['--data', folder.path]
  await using kept = await startKept(folder.path, upstream.url)
  const streaming = answer(kept, 'hold the overtaken stop')
  using _ = await upstream.held('hold the overtaken stop')
  const stopping = aspy(['stop', ...at])
  await until('the app ends', async () => (await askKeeper(folder.path, 'status'))?.state === 'ending')
  const restarting = askKeeper(folder.path, 'restart')
  await askKeeper(folder.path, 'status')
  upstream.release('hold the overtaken stop')
  await streaming
  expect(await restarting).toMatchObject({ state: 'running' })
  const { code, stderr } = await stopping
  expect([code, stderr]).toEqual([1, expect.stringContaining('another command has started Aspy again meanwhile')])
})

test('status, stop and restart', async () => {
  const at = ['--data', folder.path]
  expect(await aspyHere(['status', ...at])).toMatchObject({ code: 3, stdout: expect.stringMatching(/not running/) })
  await using kept = await startKept(folder.path, upstream.url)
  const running = await aspyHere(['status', '--json', ...at])
  expect([running.code, JSON.parse(running.stdout)]).toMatchObject([
    0,
    {
      running: true,
      state: 'running',
      pid: kept.appPid(),
      keeper_pid: kept.keeperPid,
      upstream: upstream.url,
      data: folder.path,
    },
  ])
  const streaming = answer(kept, 'hold the stop')
  using _ = await upstream.held('hold the stop')
  const stopping = aspy(['stop', ...at])
  await until('new requests pass by', async () => {
    await answer(kept, 'meanwhile', 'passing')
    return (await passedOf('passing')) > 0
  })
  // The app says now and then what it waits for: a request of a moment ago may still be counted.
  const ending = /ending; clients go on, unrecorded[^]*Waits for +1 request or tunnel to end/
  await expect.poll(() => aspyHere(['status', ...at])).toMatchObject({ code: 3, stdout: expect.stringMatching(ending) })
  upstream.release('hold the stop')
  expect((await streaming).text).toContain('ended')
  expect(await stopping).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Waiting for \d requests? or tunnels? to end[^]*has stopped/),
  })
  const stopped = /stopped.*unrecorded[^]*Process +keeper \d+/
  expect(await aspyHere(['status', ...at])).toMatchObject({ code: 3, stdout: expect.stringMatching(stopped) })
  // Doctor takes its own keeper for no other program.
  const ports = (await askKeeper(folder.path, 'status'))?.ports ?? {}
  const named = ['--port', String(ports['app']), '--proxy-port', String(ports['proxy'])]
  const { items } = JSON.parse((await aspy(['doctor', '--json', ...named, ...at])).stdout) as {
    readonly items: readonly { readonly check: string }[]
  }
  expect(items.filter(({ check }) => check === 'app' || check === 'ports')).toMatchObject([
    { verdict: 'warning', said: expect.stringContaining('keeper'), mend: expect.stringContaining('restart') },
    { verdict: 'ok' },
  ])
  // So does setup.
  expect(await aspy(['setup', ...named, '--claude-dir', folder.path, ...at])).toMatchObject({ code: 0, stderr: '' })
  // Hooks name the port that it holds, whatever the settings say.
  await aspy(['setup', '--port', String(await freePort()), '--claude-dir', folder.path, ...at])
  const hooks = readFileSync(join(folder.path, 'skills', 'aspy', 'hooks', 'hooks.json'), 'utf8')
  expect([...new Set(hooks.match(/127\.0\.0\.1:\d+/g))]).toEqual([`127.0.0.1:${ports['app']}`])
  expect(await aspy(['stop', ...at])).toMatchObject({ code: 0, stdout: expect.stringMatching(/has stopped already/) })
  expect(await answer(kept, 'while stopped')).toMatchObject({ status: 200 })
  expect(await aspy(['restart', ...at])).toMatchObject({ code: 0, stdout: expect.stringMatching(/runs \(pid \d+\)/) })
  expect((await aspyHere(['status', ...at])).code).toBe(0)
  // Asked again, it ends the keeper at once, even while a client still waits for the rest of its answer.
  await aspy(['stop', ...at])
  const cut = answer(kept, 'hold the end').catch((error: unknown) => String(error))
  using __ = await upstream.held('hold the end')
  expect(await aspy(['stop', '--now', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/keeper have ended\. Clients that still run must be started again/),
  })
  expect(isProcessAlive(kept.keeperPid)).toBe(false)
  upstream.release('hold the end')
  await cut
})

test('what passed unrecorded is imported since, once a transcript has filled it', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const at = ['--data', folder.path]
  endForGood(kept)
  await answer(kept, 'one', 's-1')
  const line = {
    type: 'user',
    uuid: 'u-1',
    parentUuid: null,
    sessionId: 's-1',
    timestamp: new Date().toISOString(),
    cwd: '/w',
    version: '2.1.332',
    message: { role: 'user', content: 'one' },
  }
  const transcript = join(folder.path, 's-1.jsonl')
  writeFileSync(transcript, `${JSON.stringify(line)}\n`)
  rmSync(join(kept.data, 'config.toml'))
  await aspy(['restart', ...at])
  const status = async () => (await aspyHere(['status', ...at])).stdout
  expect(await status()).toMatch(/\nUnrecorded +1 request, (?!.*imported)/)
  expect(await aspy(['import', transcript, ...at])).toMatchObject({ code: 0 })
  await expect.poll(status).toMatch(/\nUnrecorded +1 request, .*; imported since\n/)
})

test('stop says how the keeper ends, and stop --now ends one that no client uses', async () => {
  const at = ['--data', folder.path]
  await using kept = await startKept(folder.path, upstream.url)
  const goesOn = new RegExp(`keeper \\(pid ${kept.keeperPid}\\).*none has for a day, or by \\S*aspy stop --now --data `)
  const { stdout } = await aspyHere(['status', ...at])
  expect(stdout).toMatch(
    /\nCaps +none; set one with \S*aspy config set guard\.day_usd 20 --data \S+, or a budget, .*monthly_usd/,
  )
  const budgets = '[budgets]\ndaily_usd = 5\nprojects = [{ project = "/p", monthly_usd = 9 }]\n'
  writeFileSync(join(kept.data, 'config.toml'), budgets)
  const status = async () => (await aspyHere(['status', ...at])).stdout
  await expect
    .poll(status)
    .toMatch(
      /\nCaps +none; set one with \S*aspy config set guard\.day_usd 20 --data \S+\nBudgets +this day: \$5\.00, \$0 \(0%\) spent; this month for \/p: \$9\.00, \$0 \(0%\) spent\n/,
    )
  for (const command of ['stop', 'stop']) expect((await aspy([command, ...at])).stdout).toMatch(goesOn)
  expect(await aspy(['stop', '--now', ...at])).toMatchObject({ code: 0, stdout: expect.stringMatching(/have ended/) })
  expect(await kept.finished).toMatchObject({ code: 0 })
})

const CAPPED = '[guard]\nrequest_tokens = 10\naction = "hold"\nfail_open = false\n'
test.each([
  ['', 'no cap of [guard] holds', /message_stop/],
  ['when_away = "refuse"\n', 'requests are refused ([guard] when_away)', /with \S*aspy restart --data \S+\."/],
])(
  'stop says what becomes of a request that waits at a cap, and of the caps, with %j',
  async (more, meanwhile, said) => {
    writeFileSync(join(folder.path, 'config.toml'), `${CAPPED}${more}`)
    await using kept = await startKept(folder.path, upstream.url)
    const waiting = answer(kept, 'over the cap')
    const at = ['--data', folder.path]
    const status = async () => (await aspyHere(['status', ...at])).stdout
    await expect.poll(status).toMatch(/\nCaps +hold: request_tokens = 10\nHeld now +1\nRefused +0 today\n/)
    const { stdout } = await aspy(['stop', ...at])
    expect(stdout).toMatch(/^Refusing 1 request that waited for a decision at a cap\.\n/)
    expect(stdout).toContain(` Until then, ${meanwhile}.\n`)
    expect((await waiting).status).toBe(402)
    expect(seen('over the cap')).toBe(0)
    expect((await answer(kept, 'while it is away')).text).toMatch(said)
  },
)

test('status and stop name no keeper that was killed', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const keeper = (await askKeeper(folder.path, 'status'))?.pid ?? 0
  process.kill(keeper, 'SIGKILL')
  await until(
    'the app answers in its place',
    async () => ((await askKeeper(folder.path, 'status'))?.pid ?? keeper) !== keeper,
  )
  const { code, stdout: status } = await aspyHere(['status', '--json', '--data', kept.data])
  expect([code, JSON.parse(status)]).toMatchObject([
    0,
    {
      running: true,
      pid: kept.appPid(),
      keeper_pid: null,
      trouble: expect.stringContaining('keeps the ports has ended'),
    },
  ])
  const { stdout } = await aspy(['stop', '--data', kept.data])
  expect(stdout).toBe('Aspy has ended. Clients that still run must be started again.\n')
})

heavily(test)('right after a restart, the status line does not deny a session that was captured', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  expect(await answer(kept, 'before')).toMatchObject({ status: 200 })
  await until('it is recorded', async () => (await prompts()) === 1)
  await aspy(['restart', '--data', folder.path])
  const input = '{"session_id":"s-1"}'
  const line = spawnSync(process.execPath, [ASPY_ENTRY, 'statusline', '--data', folder.path], {
    input,
    encoding: 'utf8',
  })
  // It says nothing rather than keep a client waiting.
  expect(line.stdout).toMatch(/^(?:aspy (?:● recorded|◐ captured; see aspy status) .*\n)?$/)
})

async function prompts(): Promise<number | undefined> {
  const { stdout } = await aspyHere(['sessions', '--json', '--data', folder.path])
  const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly prompts: number }[] }
  return items[0]?.prompts
}

test('restart: streams end in the old app, the new one serves, and both are recorded once', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    const prompt = `hold round ${round}`
    const streaming = answer(kept, prompt)
    using _ = await upstream.held(prompt)
    const before = kept.appPid()
    expect(await aspy(['restart', '--data', folder.path])).toMatchObject({ code: 0, stderr: '' })
    expect(kept.appPid()).not.toBe(before)
    expect(await answer(kept, `beside ${round}`)).toMatchObject({ status: 200 })
    await until('the new app records while the old one streams', async () => (await prompts()) === 2 * (round + 1))
    upstream.release(prompt)
    expect((await streaming).text).toContain('ended')
    expect([prompt, `beside ${round}`].map(seen)).toEqual([1, 1])
    await until('the old app has ended', () => Promise.resolve(!isProcessAlive(before)))
    await until('both are recorded once', async () => (await prompts()) === 2 * (round + 1))
    const passedOn = () => readdirSync(folder.path).filter((name) => name.startsWith('spool-'))
    await until('all that it passed on is read', () => Promise.resolve(passedOn().length === 0))
  }
  expect((await askKeeper(folder.path, 'status'))?.passed.requests).toEqual({})
})

test('a connection that is kept is handed over once', async () => {
  await using kept = await startKept(folder.path, upstream.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = () =>
    new Promise<boolean>((resolve, reject) => {
      const asked = request(`${kept.proxy}/v1/models`, { agent }, (response) => {
        response.resume().on('end', () => resolve(asked.reusedSocket))
      })
      asked.on('error', reject).end()
    })
  expect([await once(), await once(), await once()]).toEqual([false, true, true])
  agent.destroy()
})
