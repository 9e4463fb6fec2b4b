import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { openDataFolder, readKey } from '../../../src/main/base/data-folder.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { HASH_KEY, LIMITS } from '../../support/store/folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Whoever prepares the data folder must not choose its keys, read what is recorded, or hold up the app. */

const isPosix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const KEYS = ['token', 'hooks', 'mcp', 'metrics', 'path-secret']
const CHOSEN = 'attackers-choice'.padEnd(43, 'x')

let parent: TempFolder
let dir: string
beforeEach(() => {
  parent = makeTempFolder('aspy-prepared-')
  dir = join(parent.path, 'data')
  mkdirSync(dir, { mode: 0o700 })
})
afterEach(() => parent.remove())

const outside = (name: string) => join(parent.path, name)

/** Ways to prepare a file, with the reason that is given. */
const PREPARED: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  [
    'a link to a file outside',
    (path) => {
      writeFileSync(outside('bait'), CHOSEN, { mode: 0o600 })
      symlinkSync(outside('bait'), path)
    },
    /link/,
  ],
  ['a link that leads nowhere', (path) => symlinkSync(outside('missing'), path), /link/],
  [
    'a file with a second name outside',
    (path) => {
      writeFileSync(outside('bait'), CHOSEN, { mode: 0o600 })
      linkSync(outside('bait'), path)
    },
    /hard link/,
  ],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /not a file/],
  ['a folder', (path) => mkdirSync(path), /not a file/],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path), /link/],
]

describe.skipIf(!isPosix)('a key', () => {
  test.each(PREPARED)('that is %s is renamed, and a new one is created', (_name, prepare, why) => {
    for (const name of KEYS) {
      prepare(join(dir, name))
      rmSync(outside('bait-kept'), { force: true })
      if (existsSync(outside('bait'))) renameSync(outside('bait'), outside(`bait-${name}`))
    }
    const { keys, pathSecret, replaced, folderFault } = openDataFolder(dir)
    expect(folderFault).toBeNull()
    expect(pathSecret).not.toBeNull()
    expect(replaced.map(({ name }) => name).toSorted()).toEqual(KEYS.toSorted())
    for (const { why: said } of replaced) expect(said).toMatch(why)
    for (const key of Object.values(keys)) {
      expect(key).toMatch(/^[\w-]{43}$/)
      expect(key).not.toBe(CHOSEN)
    }
    for (const name of KEYS) {
      const { mode, nlink } = statSync(join(dir, name))
      expect([mode & 0o777, nlink]).toEqual([0o600, 1])
    }
    expect(openDataFolder(dir)).toMatchObject({ keys, replaced: [] })
  })

  test('that others could write or read is replaced', () => {
    writeFileSync(join(dir, 'token'), CHOSEN)
    chmodSync(join(dir, 'token'), 0o666)
    writeFileSync(join(dir, 'mcp'), CHOSEN)
    chmodSync(join(dir, 'mcp'), 0o644)
    expect(readKey(dir, 'token')).toBeNull()
    const { keys, replaced } = openDataFolder(dir)
    expect(replaced).toMatchObject([
      { name: 'token', why: 'others can write it' },
      { name: 'mcp', why: 'others could read it' },
    ])
    expect([keys.token === CHOSEN, keys.mcp === CHOSEN]).toEqual([false, false])
    expect(statSync(join(dir, 'mcp')).mode & 0o777).toBe(0o600)
  })

  test.skipIf(!isRoot)('that belongs to another user is replaced', () => {
    writeFileSync(join(dir, 'token'), CHOSEN, { mode: 0o600 })
    chownSync(join(dir, 'token'), NOBODY, NOBODY)
    const { keys, replaced } = openDataFolder(dir)
    expect(replaced).toMatchObject([{ name: 'token', why: 'it belongs to another user' }])
    expect(keys.token).not.toBe(CHOSEN)
  })

  test('with the name that a killed app left is used, and the leftover goes', () => {
    const { keys } = openDataFolder(dir)
    linkSync(join(dir, 'token'), join(dir, '.token-0123456789ab'))
    expect(openDataFolder(dir)).toMatchObject({ keys, replaced: [] })
    expect(readdirSync(dir).filter((name) => name.startsWith('.token'))).toEqual([])
  })

  test('that was replaced is named in Health, with what to do', async () => {
    writeFileSync(join(dir, 'mcp'), 'short', { mode: 0o600 })
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: dir })
    const { warnings } = await app.running.health()
    expect(warnings.find(({ code }) => code === 'key_replaced')).toMatchObject({
      message: expect.stringMatching(/^The file mcp .*not a key.*mcp\.refused-/),
      fix: { kind: 'command', command: expect.stringContaining('setup') },
    })
  })
})

describe.skipIf(!isPosix)('hash.key', () => {
  test.each([...PREPARED, ['too short', (path: string) => writeFileSync(path, 'short'), /damaged/] as const])(
    'that is %s is refused, is not touched, and the way back is named',
    (_name, prepare, why) => {
      const path = join(dir, 'hash.key')
      prepare(path)
      const before = statSync(path, { throwIfNoEntry: false })?.ino
      expect(() => loadHashKey(dir)).toThrow(why)
      expect(() => loadHashKey(dir)).toThrow(/aspy restore/)
      expect(statSync(path, { throwIfNoEntry: false })?.ino).toBe(before)
    },
  )

  test('that is refused keeps the app forwarding, and Health says so', async () => {
    writeFileSync(join(dir, 'hash.key'), 'short')
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: dir })
    await until('the fault is known', async () =>
      (await app.running.health()).warnings.some(({ message }) => /hash\.key is damaged.*aspy restore/.test(message)),
    )
    expect((await fetch(`${app.proxy}/v1/models`)).status).toBe(502)
  })

  test.each(PREPARED.filter(([, , why]) => why.test('it is not a file')))(
    'that is %s is renamed when the app starts, which records, and Health says what to do',
    async (_name, prepare) => {
      prepare(join(dir, 'hash.key'))
      await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer.' }] }))
      await using app = await startApp({ upstream: upstream.url, dataDir: dir })
      await (await ask(app.proxy, { prompt: 'Go.', session: 's' })).text()
      await until('it is recorded', async () => (await app.count({ kind: 'user_prompt' }).catch(() => 0)) === 1)
      const { warnings } = await app.running.health()
      expect(warnings).toMatchObject([
        {
          code: 'key_replaced',
          message: expect.stringMatching(/^The file hash\.key .*not a file.*hash\.key\.refused-/),
          fix: { text: expect.stringContaining('put it back') },
        },
      ])
    },
  )
})

describe.skipIf(!isPosix)('the folder itself', () => {
  test('may be a link to a folder of ours', () => {
    symlinkSync(dir, outside('link'))
    expect(openDataFolder(outside('link')).folderFault).toBeNull()
    expect(existsSync(join(dir, 'token'))).toBe(true)
  })

  test.skipIf(!isRoot)('that belongs to another user is not used', () => {
    chownSync(dir, NOBODY, NOBODY)
    expect(openDataFolder(dir).folderFault).toMatch(/belongs to another user/)
    symlinkSync(dir, outside('link'))
    expect(openDataFolder(outside('link')).folderFault).toMatch(/belongs to another user/)
    expect(readdirSync(dir)).toEqual([])
  })

  test('that is open to others is closed to them', () => {
    chmodSync(dir, 0o777)
    expect(openDataFolder(dir).folderFault).toBeNull()
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link to itself', (path: string) => symlinkSync(path, path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('that is %s is a fault in words', (_name, prepare) => {
    prepare(outside('odd'))
    expect(openDataFolder(outside('odd')).folderFault).toMatch(/^The data folder (is not writable|cannot be used): /)
  })
})

describe.skipIf(!isPosix)('the database', () => {
  const FILES = ['lifestats.db', 'lifestats.db-wal', 'lifestats.db-shm', 'writer.lock']
  test.each(FILES.flatMap((file) => PREPARED.map(([name, prepare]) => [file, name, prepare] as const)))(
    '%s that is %s is not opened',
    (file, _name, prepare) => {
      prepare(join(dir, file))
      const bait = () => (existsSync(outside('bait')) ? readFileSync(outside('bait')) : null)
      const before = bait()
      expect(() => openStore({ dataDir: dir, hashKey: HASH_KEY, limits: LIMITS })).toThrow(
        `${join(dir, file)} cannot be trusted`,
      )
      expect(bait()).toEqual(before)
      expect(existsSync(outside('missing'))).toBe(false)
    },
  )

  test('that is not opened is named in Health', async () => {
    symlinkSync(outside('missing'), join(dir, 'lifestats.db'))
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: dir })
    await until('Health names it', async () =>
      (await app.running.health()).warnings.some(({ message }) => message.includes('lifestats.db cannot be trusted')),
    )
  })

  test('of 0 bytes is moved away, a new one records, and Health says so', async () => {
    writeFileSync(join(dir, 'lifestats.db'), '')
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: dir })
    await app.recorderRuns()
    const { warnings } = await app.running.health()
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'database_set_aside' }))
    expect(readdirSync(dir).filter((name) => name.startsWith('lifestats.db.damaged-'))).toHaveLength(1)
  })
})

describe.skipIf(!isPosix)('config.toml', () => {
  const load = () => loadConfig({ file: join(dir, 'config.toml') })

  test('may be a link to a file of ours', () => {
    writeFileSync(outside('mine.toml'), '[app]\nport = 4000\n')
    symlinkSync(outside('mine.toml'), join(dir, 'config.toml'))
    expect(load().config.app.port).toBe(4000)
  })

  test('that everybody can write is refused', () => {
    writeFileSync(join(dir, 'config.toml'), '')
    chmodSync(join(dir, 'config.toml'), 0o666)
    expect(load).toThrow(/everybody can write it.*chmod o-w/)
  })

  test.skipIf(!isRoot)('that belongs to another user is refused', () => {
    writeFileSync(join(dir, 'config.toml'), '')
    chownSync(join(dir, 'config.toml'), NOBODY, NOBODY)
    expect(load).toThrow(/belongs to another user/)
  })

  test.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('that is %s is refused at once', (_name, prepare) => {
    prepare(join(dir, 'config.toml'))
    expect(load).toThrow(/cannot read the config file .*(not a file|another user)/)
  })
})
