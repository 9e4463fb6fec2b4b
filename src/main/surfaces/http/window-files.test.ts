import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VIEWS } from '../../../shared/views.ts'
import { typedCommand } from '../../base/typed-command.ts'
import { readWindowFile } from './window-files.ts'

let folder = ''
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aspy-window-'))
  await mkdir(join(folder, 'root/assets'), { recursive: true })
  await writeFile(join(folder, 'root/index.html'), '<!doctype html>page')
  await writeFile(join(folder, 'root/assets/a-1234.js'), 'script')
  await writeFile(join(folder, 'root-secret.js'), 'secret')
  await writeFile(join(folder, 'secret.js'), 'secret')
})
afterAll(() => rm(folder, { recursive: true }))

test('serves its files, and the page for every view', async () => {
  const script = await readWindowFile(join(folder, 'root'), '/assets/a-1234.js')
  expect([script?.status, text(script?.body), script?.headers['content-type']]).toEqual([
    200,
    'script',
    'text/javascript; charset=utf-8',
  ])
  expect(script?.headers['cache-control']).toContain('immutable')
  for (const view of ['/', '/live', '/sessions/abc', '/sessions/a.b']) {
    const page = await readWindowFile(join(folder, 'root'), view)
    expect(text(page?.body)).toBe('<!doctype html>page')
    expect(page?.headers['content-security-policy']).toContain("default-src 'none'")
    // Its name stays the same when it changes.
    expect(page?.headers['cache-control']).toBe('no-cache')
  }
})

test('a command cannot leave its place in the page', async () => {
  await mkdir(join(folder, 'with-command'))
  await writeFile(join(folder, 'with-command/index.html'), '<meta name="aspy-start" content="">')
  const page = await readWindowFile(join(folder, 'with-command'), '/', {
    commands: { aspy: 'aspy', start: '"/a & b/aspy" $& <x>' },
  })
  expect(text(page?.body)).toBe('<meta name="aspy-start" content="&quot;/a &amp; b/aspy&quot; $&amp; &lt;x>">')
})

test('the page says how to type the command of this installation', async () => {
  const page = text((await readWindowFile(join(import.meta.dirname, '../../../renderer'), '/live'))?.body)
  const [, command] = /<meta name="aspy-command" content="([^"]*)"/.exec(page) ?? []
  expect(command).toMatch(/^aspy$|\/bin\/aspy$|\/bin\/aspy'$/)
  expect(command).toBe(typedCommand())
})

test.each([
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/..%2fsecret.js',
  '/assets/../../secret.js',
  '/../root-secret.js',
  '/assets/%00.js',
  '/%zz.js',
  '/assets/missing.js',
  '/assets/a-1234.exe',
])('%s gives nothing', async (path) => {
  for (const isForPeople of [false, true])
    expect(await readWindowFile(join(folder, 'root'), path, { isForPeople })).toBeNull()
})

test.each(['/.well-known/oauth-protected-resource', '/sse', '/register', '/lives', '/Live', '//live'])(
  '%s is not a view: people get the page, programs nothing',
  async (path) => {
    expect(await readWindowFile(join(folder, 'root'), path)).toBeNull()
    const page = await readWindowFile(join(folder, 'root'), path, { isForPeople: true })
    expect([page?.status, text(page?.body)]).toEqual([404, '<!doctype html>page'])
  },
)

test('every route of the window is a view', async () => {
  const routes = await readFile(join(import.meta.dirname, '../../../renderer/app/routes.tsx'), 'utf8')
  const first = [...routes.matchAll(/path: '\/(\w+)/g)].map(([, part]) => part)
  expect([...new Set(first)].toSorted()).toEqual(VIEWS.toSorted())
})
