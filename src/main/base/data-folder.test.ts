import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createDataDir,
  defaultDataDir,
  findRunningApp,
  loadKeys,
  readKey,
  removeRunningNote,
  writeRunningNote,
} from './data-folder.ts'

let parent: string
let dir: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'aspy-folder-'))
  dir = join(parent, 'deep', 'data')
  createDataDir(dir)
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

test.each([
  ['linux', {}, '/home/me/.local/share/aspy'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/aspy'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/me/.local/share/aspy'],
  ['darwin', {}, '/home/me/Library/Application Support/aspy'],
] as const)('on %s with %j it is %s', (platform, env, expected) => {
  expect(defaultDataDir({ platform, env, home: '/home/me' })).toBe(expected)
})

describe('keys', () => {
  test('are created once, 32 random bytes each, readable by their owner only', () => {
    const keys = loadKeys(dir)
    for (const key of Object.values(keys)) expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    expect(new Set(Object.values(keys)).size).toBe(4)
    expect(loadKeys(dir)).toEqual(keys)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    for (const name of ['token', 'hooks', 'mcp', 'metrics']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
  })

  test('the permissions of a readable key are corrected', () => {
    writeFileSync(join(dir, 'token'), 'mine\n', { mode: 0o644 })
    expect(loadKeys(dir).token).toBe('mine')
    expect(statSync(join(dir, 'token')).mode & 0o777).toBe(0o600)
  })

  test('an empty key is refused', () => {
    writeFileSync(join(dir, 'token'), '\n')
    expect(readKey(dir, 'token')).toBeNull()
    expect(() => loadKeys(dir)).toThrow(/token is empty; delete it/)
  })
})

describe('the running app', () => {
  const answering = async (id: string) => {
    const server = createServer((_request, response) => response.end(JSON.stringify({ id })))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      port: (server.address() as AddressInfo).port,
      close: () => new Promise((resolve) => server.close(resolve)),
    }
  }

  test('is trusted only while it answers with its own ID', async () => {
    const { port, close } = await answering('right')
    writeRunningNote(dir, { pid: 1, id: 'wrong', ports: { proxy: 5, app: port } })
    expect(await findRunningApp(dir)).toBeNull()
    writeRunningNote(dir, { pid: 1, id: 'right', ports: { proxy: 5, app: port } })
    expect(await findRunningApp(dir)).toMatchObject({
      pid: 1,
      appUrl: `http://127.0.0.1:${port}`,
      proxyUrl: 'http://127.0.0.1:5',
    })
    await close()
    expect(await findRunningApp(dir)).toBeNull()
  })

  test.each(['', 'not json', '{"pid":1}', '{"pid":1,"id":"x","ports":{"app":"80"}}'])(
    'a note that reads %j does not mean a running app',
    async (text) => {
      writeFileSync(join(dir, 'app.json'), text)
      expect(await findRunningApp(dir)).toBeNull()
    },
  )

  test('a note is removed only by the app it names', () => {
    writeRunningNote(dir, { pid: 1, id: 'second', ports: { proxy: 1, app: 2 } })
    removeRunningNote(dir, 'first')
    expect(readFileSync(join(dir, 'app.json'), 'utf8')).toContain('second')
    removeRunningNote(dir, 'second')
    expect(() => readFileSync(join(dir, 'app.json'))).toThrow(/ENOENT/)
  })
})
