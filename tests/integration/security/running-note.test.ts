import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadKeys } from '../../../src/main/base/data-folder.ts'
import { findRunningApp } from '../../../src/main/base/running-app.ts'
import { findRunningNote, removeRunningNote, writeRunningNote } from '../../../src/main/base/running-note.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { claimsToBe, startFakeApp } from '../../support/security/fake-app.ts'

const isRoot = process.getuid?.() === 0
const NOTE = { pid: process.pid, id: 'run', ports: { proxy: 5, app: 6 } }

let folder: TempFolder
let file: string
beforeEach(() => {
  folder = makeTempFolder()
  file = join(folder.path, 'app.json')
})
afterEach(() => folder.remove())

describe('the note of a running app', () => {
  test('is for its owner only, and is removed only by the app that it names', () => {
    writeRunningNote(folder.path, NOTE)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(findRunningNote(folder.path)).toEqual(NOTE)
    removeRunningNote(folder.path, 'another')
    expect(readFileSync(file, 'utf8')).toContain('"run"')
    removeRunningNote(folder.path, 'run')
    expect(findRunningNote(folder.path)).toBeNull()
  })

  test.each([
    '',
    'not json',
    'null',
    '[]',
    '{"pid":1}',
    JSON.stringify({ ...NOTE, ports: { app: '6', proxy: 5 } }),
    JSON.stringify({ ...NOTE, ports: { app: 70_000, proxy: 5 } }),
    JSON.stringify({ ...NOTE, ports: { app: '6@evil.example', proxy: null } }),
    JSON.stringify({ ...NOTE, pid: -1 }),
    JSON.stringify({ ...NOTE, pid: 0 }),
    JSON.stringify({ ...NOTE, id: '' }),
    JSON.stringify({ ...NOTE, more: 'x'.repeat(5000) }),
  ])('is not believed if it reads %j', (text) => {
    writeFileSync(file, text)
    expect(findRunningNote(folder.path)).toBeNull()
  })

  test('cannot name another host: its ports are on loopback, whatever else it says', async () => {
    await using fake = await startFakeApp(claimsToBe('run'))
    loadKeys(folder.path)
    const elsewhere = { host: 'evil.example', appUrl: 'http://evil.example:80', url: 'http://evil.example' }
    writeFileSync(file, JSON.stringify({ ...NOTE, ...elsewhere, ports: { proxy: null, app: fake.port, host: 'evil' } }))
    await expect(findRunningApp(folder.path)).rejects.toMatchObject({ code: 'conflict' })
    expect(fake.connections()).toBe(1)
  })

  test('is not believed if others may write it, or if it is not a file', () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      writeRunningNote(folder.path, NOTE)
      chmodSync(file, mode)
      expect(findRunningNote(folder.path), mode.toString(8)).toBeNull()
    }
    const real = join(folder.path, 'elsewhere.json')
    writeFileSync(real, JSON.stringify(NOTE), { mode: 0o600 })
    rmSync(file, { force: true })
    symlinkSync(real, file)
    expect(findRunningNote(folder.path)).toBeNull()
    rmSync(file, { force: true })
    mkdirSync(file)
    expect(findRunningNote(folder.path)).toBeNull()
  })

  test('that is a link is replaced, and its target is not written', () => {
    const target = join(folder.path, 'precious')
    writeFileSync(target, 'precious')
    symlinkSync(target, file)
    writeRunningNote(folder.path, NOTE)
    expect(readFileSync(target, 'utf8')).toBe('precious')
    expect(findRunningNote(folder.path)).toEqual(NOTE)
  })

  test.runIf(isRoot)('of another owner is not believed', () => {
    writeRunningNote(folder.path, NOTE)
    chownSync(file, 65_534, 65_534)
    expect(findRunningNote(folder.path)).toBeNull()
  })

  test('is not believed if its process is gone', async () => {
    const child = spawn('true')
    await once(child, 'close')
    writeRunningNote(folder.path, { ...NOTE, pid: child.pid ?? 0 })
    expect(findRunningNote(folder.path)).toBeNull()
  })

  test.runIf(process.platform === 'linux')("is not believed if its process is another user's", async () => {
    const child = isRoot ? spawn('sleep', ['60'], { uid: 65_534, gid: 65_534, cwd: '/' }) : null
    if (child !== null) await once(child, 'spawn')
    writeRunningNote(folder.path, { ...NOTE, pid: child?.pid ?? 1 })
    expect(findRunningNote(folder.path)).toBeNull()
    child?.kill()
  })
})

test('a process id that another program of ours reused is not the app: it cannot prove itself', async () => {
  await using app = await startApp({ upstream: 'http://127.0.0.1:1', dataDir: folder.path })
  expect(await findRunningApp(folder.path)).toMatchObject({ id: app.id, appUrl: app.app })
  await using fake = await startFakeApp(claimsToBe(app.id))
  const { ports } = JSON.parse(readFileSync(file, 'utf8')) as typeof NOTE
  const other = spawn('sleep', ['60'])
  writeRunningNote(folder.path, { pid: other.pid ?? 0, id: app.id, ports: { ...ports, app: fake.port } })
  await expect(findRunningApp(folder.path)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/cannot prove .* stop that program or delete .*app\.json/),
  })
  other.kill()
})
