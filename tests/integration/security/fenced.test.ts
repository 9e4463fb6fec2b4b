import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { FILES } from '../../../src/shared/data-inventory.ts'
import { ask } from '../../support/app/ask.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** What docs/data.md promises of addresses, files and modes, asked of an app that runs behind a fence. */

const FENCE = pathToFileURL(join(import.meta.dirname, '../../support/security/fence.ts')).href

interface Ready {
  readonly app: string
  readonly proxy: string
  readonly token: string
}

let upstream: MessagesUpstream
let folder: TempFolder
let refused: string
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
})
afterAll(() => upstream.close())

beforeEach(() => {
  folder = makeTempFolder('aspy-fenced-')
  refused = join(folder.path, 'refused')
})
afterEach(() => folder.remove())

const dataDir = () => join(folder.path, 'data')

/** Runs an app behind the fence until `use` has ended. Returns the addresses beyond the machine that were tried. */
async function fenced(settings: string, use: (ready: Ready, env: Record<string, string>) => Promise<void>) {
  const config = join(folder.path, 'config.toml')
  writeFileSync(config, settings)
  const env = {
    NODE_OPTIONS: `--import=${FENCE}`,
    FENCE: refused,
    ASPY_CONFIG: config,
    CLAUDE_CONFIG_DIR: join(folder.path, 'claude'),
  }
  const ports = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url]
  const app = startAspy(['serve', '--json', '--data', dataDir(), ...ports], env, folder.path)
  try {
    await use(JSON.parse(await app.firstLine) as Ready, env)
  } finally {
    app.signal('SIGTERM')
    await app.finished
  }
  return existsSync(refused) ? [...new Set(readFileSync(refused, 'utf8').trim().split('\n'))] : []
}

async function record({ app, proxy, token }: Ready): Promise<void> {
  await (await ask(proxy, { prompt: 'a question', session: 'fenced' })).text()
  await until('it is recorded', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${app}/api/events.count`, {
      method: 'POST',
      headers,
      body: '{"kind":"assistant_text"}',
    })
    return ((await response.json()) as { readonly count: number }).count > 0
  })
}

/** Files and folders of docs/data.md, as patterns of whole paths. */
function documentedFiles(): readonly RegExp[] {
  return FILES.flatMap(({ names }) => {
    const first = names[0] ?? ''
    return names.map((name) => {
      // `-wal` goes on where the first name ends, `….before` where it ends without its own ending.
      const whole = name.startsWith('-') ? first + name : name.replace(/^…/, first.replace(/\.[^.]+$/, ''))
      const pattern = whole
        .split(/<[^>]+>|…/)
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
        .join('.+')
      return new RegExp(`^${pattern}${whole.endsWith('/') ? '.*' : '$'}`)
    })
  })
}

test('with default settings nobody is reached but the upstream, and each file is named in the docs and private', async () => {
  const tried = await fenced('', async (ready, env) => {
    await record(ready)
    const at = ['--data', dataDir()]
    for (const words of [
      ['status'],
      ['sessions'],
      ['costs'],
      ['recall', 'question'],
      ['advise'],
      ['doctor'],
      ['import'],
    ]) {
      const { code } = await startAspy([...words, ...at], env, folder.path).finished
      expect([words, code === null]).toEqual([words, false])
    }
    expect((await fetch(ready.app)).status).toBe(200)
  })
  expect(tried).toEqual([])
  expect(upstream.requests.length).toBeGreaterThan(0)
  const documented = documentedFiles()
  expect(documented.length).toBeGreaterThan(20)
  const found = readdirSync(dataDir(), { recursive: true, withFileTypes: true })
  const unnamed = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dataDir(), join(entry.parentPath, entry.name)))
    .filter((path) => !documented.some((pattern) => pattern.test(path)))
  expect(unnamed).toEqual([])
  const open = found.filter((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0)
  expect(open.map(({ name }) => name)).toEqual([])
})

test('a webhook that a person sets is the only other address', async () => {
  const tried = await fenced('[webhook]\nurl = "https://hooks.example/aspy"\n', async (ready) => {
    await record(ready)
    await until('it is tried', () => Promise.resolve(existsSync(refused)))
  })
  expect(tried).toEqual(['hooks.example'])
})
