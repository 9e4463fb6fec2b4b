import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Processor as Published } from '../../../resources/processor.d.ts'
import type { Processor } from '../../../src/main/pipeline/processor.ts'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const DOCS = readFileSync(join(ROOT, 'docs/processors.md'), 'utf8')

/** The n-th block of code of a language in the page. */
function block(language: string, n: number): string {
  return [...DOCS.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))][n]?.[1] ?? ''
}

interface List {
  readonly items: readonly { readonly kind: string; readonly payload: Record<string, unknown> }[]
}

test('the first steps of the page work as written', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  using folder = makeTempFolder()
  writeFileSync(join(folder.path, 'tidy.mjs'), block('js', 0))
  writeFileSync(join(folder.path, 'config.toml'), block('toml', 0))
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await expect.poll(() => app.running.health(), POLL).toMatchObject({ recorder: 'running' })
  const post = (kind: string, payload: object) => app.call('events.post', { session_id: 'one', kind, payload })
  await post('rate_limit', { limits: {} })
  await post('notification', { text: 'kept' })
  expect((await app.call<List>('events.list')).items).toMatchObject([{ kind: 'notification' }])
  await expect
    .poll(async () => (await app.running.health()).processors, POLL)
    .toMatchObject([{ name: 'tidy', seen: 2, dropped: 1, errors: 0, disabled: null, late: 0 }])
})

test('the examples do what they say: a project is left out, a session is tagged by its branch', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  using folder = makeTempFolder()
  // `ask` works in /home/user/project.
  const settings = block('toml', 1).replaceAll('/path/to/aspy', ROOT).replace('/home/me/secret', '/home/user')
  writeFileSync(join(folder.path, 'config.toml'), settings)
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await (await ask(app.proxy, { prompt: 'in the project', session: 'secret' })).text()
  await expect.poll(async () => (await app.running.health()).dropped['processor_dropped'] ?? 0, POLL).toBeGreaterThan(3)
  const post = (kind: string, payload: object) => app.call('events.post', { session_id: 'one', kind, payload })
  await post('user_prompt', { text: 'a question', git_branch: 'main' })
  await post('notification', { text: 'on the way' })
  const { items } = await app.call<List>('events.list')
  expect(items.map(({ kind, payload }) => [kind, payload['tags']])).toEqual([
    ['user_prompt', ['branch:main']],
    ['notification', ['branch:main']],
  ])
  const log = readFileSync(join(folder.path, 'logs/session-one.jsonl'), 'utf8').trim().split('\n')
  expect(log.map((line) => (JSON.parse(line) as { tags: unknown }).tags)).toEqual([['branch:main'], ['branch:main']])
  const { processors, warnings } = await app.running.health()
  expect(processors).toMatchObject([
    { name: 'drop-project', errors: 0, disabled: null },
    { name: 'tag-by-branch', errors: 0, disabled: null },
  ])
  expect(warnings).toEqual([])
})

test('the published types match the source, and the examples compile with them', () => {
  const isSame: Same<Published, Processor> = true
  expect(isSame).toBe(true)
  const examples = ['drop-project.mjs', 'tag-by-branch.mjs'].map((name) => join(ROOT, 'docs/examples/processors', name))
  const options = '--noEmit --allowJs --checkJs --strict --module nodenext --target es2024 --skipLibCheck'.split(' ')
  const said = execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...options, ...examples], {
    encoding: 'utf8',
  })
  expect(said).toBe('')
})

const POLL = { interval: 50 }

/** True only where both are structurally the same, readonly and optional fields included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
