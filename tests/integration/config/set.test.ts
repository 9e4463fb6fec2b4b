import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { ask } from '../../support/app/ask.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: 'hm' }, { text: 'Ada is CUSTOMER-1234567890.' }],
  }))
})
afterAll(() => upstream.close())

let folder: TempFolder
let app: TestApp
const FILE = `# my settings
[lifestats] # what is kept
max_prompt_size = 500 # short

[app]
theme = "dark"
`
const file = () => join(folder.path, 'config.toml')

beforeEach(async () => {
  folder = makeTempFolder()
  writeFileSync(file(), FILE, { mode: 0o640 })
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
})
afterEach(async () => {
  await app.close()
  folder.remove()
})

interface Event {
  readonly kind: string
  readonly payload: { readonly text?: string }
}

/** Asks, waits until it is recorded, gives the texts of the answers so far. */
async function answers(count: number): Promise<string[]> {
  await (await ask(app.proxy, { prompt: `question ${count}`, session: 'one' })).text()
  await until(
    'the answer is recorded',
    async () => (await app.call<{ items: Event[] }>('events.list', { kind: 'model_response' })).items.length === count,
  )
  const { items } = await app.call<{ items: Event[] }>('events.list', { kind: 'assistant_text' })
  return items.map(({ payload }) => payload.text ?? '')
}

const set = (key: string, value: unknown) => app.call('config.set', { key, value })

test('a fault of the config file is over once it is gone, also if it was a link to nothing', async () => {
  const fault = async () =>
    (await app.call<{ warnings: { message: string }[] }>('health.get')).warnings.find(({ message }) =>
      message.includes('link'),
    )
  rmSync(file())
  symlinkSync(join(folder.path, 'nothing'), file())
  await until('the link is noticed', async () => (await fault()) !== undefined)
  rmSync(file())
  expect(await fault()).toBeUndefined()
})

test('a change is written in place, keeps comments, and applies to later events', async () => {
  expect(await answers(1)).toEqual(['Ada is CUSTOMER-1234567890.'])
  const patterns = [{ name: 'customer', pattern: String.raw`CUSTOMER-\d{10}` }]
  expect(await set('redaction.patterns', patterns)).toMatchObject({ value: patterns, origin: 'file', applies: 'now' })
  expect(await set('lifestats.store_thinking', false)).toMatchObject({ value: false })
  expect((await answers(2))[1]).toMatch(/^Ada is \[redacted:customer:.{4}\]\.$/)
  const { items } = await app.call<{ items: Event[] }>('events.list', { kind: 'thinking' })
  expect(items.map(({ payload }) => payload.text)).toEqual(['hm', ''])
  expect(readFileSync(file(), 'utf8')).toBe(
    `${FILE.replace('[lifestats] # what is kept\n', '[lifestats] # what is kept\nstore_thinking = false\n')}
[redaction]
patterns = [{ name = "customer", pattern = 'CUSTOMER-\\d{10}' }]
`,
  )
  expect(statSync(file()).mode & 0o777).toBe(0o640)
  expect(await app.call('health.get')).toMatchObject({ recorder: 'running', recorder_restarts: 0 })
  // Back to the default: the file is as it was but for the empty section.
  expect(await set('redaction.patterns', null)).toMatchObject({ value: [], origin: 'default' })
  expect(await set('lifestats.store_thinking', null)).toMatchObject({ value: true, origin: 'default' })
  expect(readFileSync(file(), 'utf8')).toBe(`${FILE}\n[redaction]\n`)
  expect((await answers(3))[2]).toContain('CUSTOMER-1234567890')
})

interface Described {
  readonly items: readonly { readonly key: string; readonly value: unknown; readonly next?: unknown }[]
}
const described = async (key: string) =>
  (await app.call<Described>('config.get')).items.find((setting) => setting.key === key)

test('a change of the file by hand is applied, and what needs a restart says so', async () => {
  writeFileSync(
    file(),
    `${FILE}\n[proxy]\nmax_queue_bytes = 1000000\n\n[guard]\nday_usd = 0.000001\naction = "refuse"\ndecide_ms = 10000\n`,
  )
  await until('the cap is on', async () => (await app.call<{ enabled: boolean }>('guard.get')).enabled)
  expect((await ask(app.proxy, { prompt: 'a question', session: 'one' })).status).toBe(402)
  expect(await described('guard.day_usd')).not.toHaveProperty('next')
  expect(await described('proxy.max_queue_bytes')).toMatchObject({ next: 1_000_000 })
})

const guarded = (usd: number | string) => `[guard]\nday_usd = ${usd}\n`
/** Files that editors and people leave behind, with the cap that is in force then. */
const odd: readonly (readonly [string, () => void, number])[] = [
  [
    'with a mark of its encoding and line ends of Windows',
    () => writeFileSync(file(), `\uFEFF[guard]\r\nday_usd = 5\r\n`),
    5,
  ],
  ['half written', () => writeFileSync(file(), '[guard]\nday_usd = 6\n[app\nth'), 5],
  ['whole again', () => writeFileSync(file(), guarded(6)), 6],
  ['with text in place of a number', () => writeFileSync(file(), guarded('"7"')), 6],
  ['with a key twice', () => writeFileSync(file(), `${guarded(7)}day_usd = 8\n`), 6],
  ['with a key in another table', () => writeFileSync(file(), '[app]\nday_usd = 7\n'), 6],
  ['that a folder took the place of', () => (rmSync(file()), mkdirSync(file())), 6],
  [
    'renamed over it',
    () => (rmdirSync(file()), writeFileSync(`${file()}~`, guarded(9)), renameSync(`${file()}~`, file())),
    9,
  ],
  [
    'in the place of which is a link',
    () => (
      renameSync(file(), `${file()}.real`),
      symlinkSync(`${file()}.real`, file()),
      writeFileSync(`${file()}.real`, guarded(10))
    ),
    10,
  ],
  ['whose link leads nowhere', () => rmSync(`${file()}.real`), 10],
  ['that the link leads to again', () => writeFileSync(`${file()}.real`, guarded(11)), 11],
]

heavily(test)('odd edits of the file are applied or said, and what was in force stays', async () => {
  const said = async () =>
    (await app.running.health()).warnings.find(({ code }) => code === 'config_refused')?.message ?? null
  let before: { cap: number; refusal: string | null } = { cap: 0, refusal: null }
  for (const [name, edit, cap] of odd) {
    edit()
    const isRefused = cap === before.cap
    await until(`${name}: seen`, async () => {
      const refusal = await said()
      const isSeen = isRefused ? refusal !== before.refusal && refusal !== null : refusal === null
      return isSeen && (await described('guard.day_usd'))?.value === cap
    })
    before = { cap, refusal: await said() }
  }
  rmSync(file())
  await until('the removed file is seen', async () => (await described('guard.day_usd'))?.next !== undefined)
  expect(await described('guard.day_usd')).toMatchObject({ value: 11, next: 0 })
})

test('doctor and report name what is wrong with the file, and go on', async () => {
  writeFileSync(file(), guarded('"7"'))
  const doctor = await aspyHere(['doctor', '--data', folder.path])
  expect(doctor).toMatchObject({
    stderr: '',
    stdout: expect.stringMatching(/^failure +config .*day_usd[^]*(ok|warning) +app[^]*disk/),
  })
  const report = JSON.parse((await aspyHere(['report', '--data', folder.path])).stdout) as object
  expect(report).toMatchObject({ config_file: expect.stringContaining('cannot be read'), app: { health: {} } })
})

test('aspy config set writes through the running app, and aspy config shows what waits for a restart', async () => {
  const config = async (...args: string[]) => (await aspyHere(['config', ...args, '--data', folder.path])).stdout
  expect(await config('set', 'guard.day_usd', '0.000001')).toBe('guard.day_usd = 0.000001; it applies now\n')
  expect(await app.call('guard.get')).toMatchObject({ enabled: true })
  expect(await config('set', 'proxy.max_queue_bytes', '1000000')).toMatch(/it applies after .*aspy restart --data /)
  expect(await config()).toMatch(/After a restart[^]*max_queue_bytes +\d+ +1000000/)
  expect(readFileSync(file(), 'utf8')).toContain('day_usd = 0.000001')
})

test('a change during a response loses and duplicates nothing', async () => {
  await using held = await startMessagesUpstream(() => ({
    steps: [{ text: 'Ada is CUSTOMER-1234567890. ' }, { hold: 'middle' }, { text: 'And Bob is CUSTOMER-2345678901.' }],
  }))
  await app.close()
  app = await startApp({ upstream: held.url, dataDir: folder.path })
  const answer = await ask(app.proxy, { prompt: 'who is who', session: 'one' })
  const body = answer.body?.[Symbol.asyncIterator]()
  await body?.next()
  await until('the prompt is recorded', async () => (await app.count({ kind: 'user_prompt' })) === 1)
  await set('redaction.patterns', [{ name: 'customer', pattern: String.raw`CUSTOMER-\d{10}` }])
  held.release('middle')
  let isOpen = body !== undefined
  while (isOpen) isOpen = (await body?.next())?.done === false
  await until('the answer is recorded', async () => (await app.count({ kind: 'model_response' })) === 1)
  const { items } = await app.call<{ items: Event[] }>('events.list')
  const kinds = items.map(({ kind }) => kind)
  for (const kind of ['user_prompt', 'model_request', 'model_response', 'api_usage']) {
    expect([kind, kinds.filter((other) => other === kind).length]).toEqual([kind, 1])
  }
  const texts = items.filter(({ kind }) => kind === 'assistant_text').map(({ payload }) => payload.text)
  expect(texts).toEqual([
    expect.stringMatching(/^Ada is \[redacted:customer:.{4}\]\. $/),
    expect.stringMatching(/^And Bob is \[redacted:customer:.{4}\]\.$/),
  ])
})

test('a setting that cannot apply immediately is marked as waiting for a restart', async () => {
  expect(await set('proxy.max_queue_bytes', 1_000_000)).toMatchObject({
    value: 64 * 1024 * 1024,
    next: 1_000_000,
    applies: 'restart',
  })
  const { items } = await app.call<{ items: { key: string; next?: unknown }[] }>('config.get')
  expect(items.filter(({ next }) => next !== undefined)).toMatchObject([{ key: 'proxy.max_queue_bytes' }])
  await app.close()
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const after = await app.call<{ items: { key: string }[] }>('config.get')
  const item = after.items.find(({ key }) => key === 'proxy.max_queue_bytes')
  expect(item).toMatchObject({ value: 1_000_000, origin: 'file' })
  expect(item).not.toHaveProperty('next')
})

test('invalid, overridden and uneditable settings are refused, and the file stays unchanged', async () => {
  await expect(set('lifestats.max_prompt_size', 'much')).rejects.toThrow(
    /lifestats.max_prompt_size cannot be "much": give a number/,
  )
  await expect(set('redaction.patterns', [{ name: 'x', pattern: '(' }])).rejects.toThrow(
    /patterns.0.pattern cannot be "\(": .*[Uu]nterm/,
  )
  await expect(set('redaction.patterns', [{ name: 'x', pattern: 'a*' }])).rejects.toThrow(/match everywhere/)
  await expect(set('no.such', 1)).rejects.toThrow(/unknown setting no.such/)
  await expect(set('proxy.upstream', 'http://elsewhere')).rejects.toThrow(/set by a command-line flag/)
  expect(readFileSync(file(), 'utf8')).toBe(FILE)
  writeFileSync(file(), 'filter = { drop_tools = ["Bash"] }\n')
  await expect(set('filter.drop_kinds', ['thinking'])).rejects.toThrow(/by hand/)
  expect(readFileSync(file(), 'utf8')).toBe('filter = { drop_tools = ["Bash"] }\n')
})

test('a missing file is created; a read-only key cannot change settings', async () => {
  await app.close()
  folder.remove()
  folder = makeTempFolder()
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await expect(
    app.running.dispatch.call('config.set', { key: 'app.theme', value: 'light' }, { access: 'read' }),
  ).rejects.toThrow(/may only read/)
  expect(existsSync(file())).toBe(false)
  await Promise.all([set('app.theme', 'light'), set('filter.drop_tools', ['Bash'])])
  expect(readFileSync(file(), 'utf8')).toBe('[app]\ntheme = "light"\n\n[filter]\ndrop_tools = ["Bash"]\n')
  expect(statSync(file()).mode & 0o777).toBe(0o600)
})
