import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadKeys } from '../../../src/main/base/data-folder.ts'
import { ASPY_ENTRY, startAspy } from '../../support/app/aspy-command.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import {
  answersWith,
  claimsToBe,
  closes,
  hangs,
  relaysTo,
  startFakeApp,
  type Behaviour,
  type FakeApp,
} from '../../support/security/fake-app.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { few } from '../../support/runner/heavy.ts'

/** Another program has bound the port of an app that crashed, or of one that its note names. */

const PROMPT = 'a prompt that nobody else may read'
const ID = 'the-id-that-healthz-tells-everybody'

function keysIn(folder: TempFolder): Record<string, string> {
  loadKeys(folder.path)
  return Object.fromEntries(
    ['token', 'hooks', 'mcp', 'metrics'].map((name) => [name, readFileSync(join(folder.path, name), 'utf8').trim()]),
  )
}
function note(folder: TempFolder, port: number, pid = process.pid): void {
  const content = { pid, id: ID, ports: { proxy: port, app: port } }
  writeFileSync(join(folder.path, 'app.json'), JSON.stringify(content), { mode: 0o600 })
}
function leaksTo(fake: FakeApp, keys: Record<string, string>): string[] {
  const received = fake.received()
  const secrets = { ...keys, prompt: PROMPT, header: 'authorization' }
  return Object.entries(secrets).flatMap(([name, secret]) =>
    received.toLowerCase().includes(secret.toLowerCase()) ? [name] : [],
  )
}
async function piped(command: string, folder: TempFolder, stdin: string) {
  const child = spawn(process.execPath, [ASPY_ENTRY, command, '--data', folder.path], { env: { HOME: folder.path } })
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined).end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: (await ended)[0] as number | null, stdout, stderr }
}
const SILENT = { code: 0, stdout: '', stderr: '' }
const hooks = [
  { hook_event_name: 'SessionStart', source: 'compact', session_id: 's', cwd: '/', prompt: PROMPT },
  { hook_event_name: 'SessionStart', source: 'startup', session_id: 's', cwd: '/', prompt: PROMPT },
  { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/', prompt: PROMPT },
].map((hook) => JSON.stringify(hook))

const behaviours: readonly (readonly [string, Behaviour])[] = [
  ['claims to be the app', claimsToBe(ID)],
  ['answers challenges with a proof that it overheard', answersWith('W'.repeat(43))],
  ['answers challenges with nothing', answersWith('')],
  ['never answers', hangs],
  ['closes every connection', closes],
]

describe.each(few(behaviours, 2))('a program on the port that %s', (_name, behaviour) => {
  test('gets neither key nor body from a hook, and puts nothing into the context of the model', async () => {
    using folder = makeTempFolder()
    const keys = keysIn(folder)
    await using fake = await startFakeApp(behaviour)
    note(folder, fake.port)
    for (const body of hooks) expect(await piped('hook', folder, body)).toEqual(SILENT)
    expect(fake.connections()).toBeGreaterThanOrEqual(hooks.length)
    expect(leaksTo(fake, keys)).toEqual([])
  })

  test('gets no key from the status line', async () => {
    using folder = makeTempFolder()
    const keys = keysIn(folder)
    await using fake = await startFakeApp(behaviour)
    note(folder, fake.port)
    expect(await piped('statusline', folder, JSON.stringify({ session_id: 's', prompt: PROMPT }))).toEqual(SILENT)
    expect(leaksTo(fake, keys)).toEqual([])
  })
})

describe('every command that asks the app', () => {
  let folder: TempFolder
  let keys: Record<string, string>
  let fake: FakeApp
  beforeAll(async () => {
    folder = makeTempFolder()
    keys = keysIn(folder)
    fake = await startFakeApp(claimsToBe(ID))
    note(folder, fake.port)
  })
  afterAll(async () => {
    await fake[Symbol.asyncDispose]()
    folder.remove()
  })

  test.each([
    ['sessions'],
    ['stats'],
    ['recall', PROMPT],
    ['open'],
    ['delete', '--yes', 'some-session'],
    ['rebuild'],
    ['archive'],
    ['redact', '--past', '--yes'],
    ['backup', 'all.backup'],
    ['restore', '/nonexistent/backup'],
    ['import', '.'],
    ['export'],
    ['run', '--', 'true'],
    ['serve'],
    ['mcp'],
    ['setup'],
    ['doctor'],
  ])('aspy %s says what is wrong, and sends nothing', async (...args) => {
    const flags = ['--data', folder.path, '--claude-dir', join(folder.path, 'claude')]
    const [command = '', ...rest] = args
    const given = command === 'setup' ? flags : flags.slice(0, 2)
    const { code, stdout, stderr } = await startAspy([command, ...given, ...rest], {}, folder.path).finished
    expect(leaksTo(fake, keys)).toEqual([])
    // mcp ends with its input; its callers are answered below.
    if (command === 'mcp') return
    expect(stdout + stderr).toMatch(/the program on port \d+ cannot prove that it is this Aspy/)
    expect(code).toBe(1)
  })

  test('a tool called over aspy mcp fails without a word of the other program', async () => {
    const child = spawn(process.execPath, [ASPY_ENTRY, 'mcp', '--data', folder.path], { env: { HOME: folder.path } })
    const call = { name: 'aspy_recall_context', arguments: { query: PROMPT } }
    const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    for (const message of [
      { id: 1, method: 'initialize', params: info },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: call },
    ])
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    let said = ''
    for await (const bytes of child.stdout) {
      said += String(bytes)
      if (said.includes('"id":2')) break
    }
    child.kill()
    expect(said).toMatch(/cannot prove that it is this Aspy/)
    expect(said).not.toContain('IGNORE ALL')
    expect(leaksTo(fake, keys)).toEqual([])
  })
})

describe('a note that an app left behind', () => {
  const deadPid = async () => {
    const child = spawn('true')
    await once(child, 'close')
    return child.pid ?? 0
  }

  test('names a process that is gone: nobody is asked', async () => {
    using folder = makeTempFolder()
    await using fake = await startFakeApp(claimsToBe(ID))
    keysIn(folder)
    note(folder, fake.port, await deadPid())
    expect(await piped('hook', folder, hooks[0] ?? '')).toEqual(SILENT)
    const { code, stderr } = await startAspy(['open', '--data', folder.path]).finished
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no app is running/)])
    expect(fake.connections()).toBe(0)
  })

  test('does not keep a new app from starting, unless another program has its port', async () => {
    using folder = makeTempFolder()
    await using upstream = await disposable(startMessagesUpstream(() => ({ steps: [{ text: 'x' }] })))
    await using fake = await startFakeApp(claimsToBe(ID))
    keysIn(folder)
    note(folder, fake.port, await deadPid())
    await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
    expect((await fetch(`${app.app}/healthz`)).status).toBe(200)
    const taken = await startAspy([
      'serve',
      '--data',
      makeTempFolder().path,
      '--proxy-port',
      '0',
      '--port',
      String(fake.port),
    ]).finished
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/port \d+ is taken/) })
  })
})

test('a program in the middle that relays the challenge to the real app proves nothing', async () => {
  using folder = makeTempFolder()
  await using upstream = await disposable(startMessagesUpstream(() => ({ steps: [{ text: 'x' }] })))
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const keys = keysIn(folder)
  await using fake = await startFakeApp(relaysTo(Number(new URL(app.app).port)))
  note(folder, fake.port)
  for (const body of hooks) expect(await piped('hook', folder, body)).toEqual(SILENT)
  const { code, stderr } = await startAspy(['sessions', '--data', folder.path]).finished
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot prove that it is this Aspy/)])
  expect(fake.received()).toContain('/healthz/proof')
  expect(leaksTo(fake, keys)).toEqual([])
})

async function disposable<T extends { close(): Promise<unknown> }>(started: Promise<T>): Promise<T & AsyncDisposable> {
  const value = await started
  return Object.assign(value, { [Symbol.asyncDispose]: async () => void (await value.close()) })
}
