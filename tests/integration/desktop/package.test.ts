import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { desktopClosure } from '../../../scripts/desktop-closure.ts'
import { icns, ico } from '../../../scripts/icon-containers.ts'
import { packDesktop, writeStubRuntime } from '../../../scripts/pack-desktop.ts'
import { startAndStop } from '../../../scripts/release/start-and-stop.ts'
import { packedCommand } from '../../../src/main/electron/packed-command.ts'
import { fuseFile, readFuses } from '../../../src/main/electron/read-fuses.ts'
import type { SelfCheck } from '../../../src/main/electron/self-check.ts'
import { ELECTRON_BUILDER } from '../../support/desktop/electron-builder.ts'
import { fetchPackage } from '../../support/client/fetched-package.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const root = join(import.meta.dirname, '../../..')
const config = readFileSync(join(root, 'electron-builder.yml'), 'utf8')

interface Asar {
  listPackage(archive: string, options: { isPack: boolean }): string[]
  extractFile(archive: string, path: string): Buffer
  extractAll(archive: string, folder: string): void
}

/** Runs the self-check of an app on the double. */
async function selfCheck(app: string, temp: string): Promise<{ code: number | null; result: SelfCheck }> {
  const file = join(temp, 'self-check.json')
  rmSync(file, { force: true })
  const child = spawn(join(root, 'tests/support/desktop/electron-double/electron'), [app, `--self-check=${file}`], {
    // Its threads come from what was packed, not from the build that tests use.
    env: { ...process.env, ASPY_BUNDLES: '', HOME: temp, TMPDIR: temp },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, result: JSON.parse(readFileSync(file, 'utf8')) as SelfCheck }
}

describe('packed with a stub runtime', () => {
  const folder = makeTempFolder('aspy-package-')
  let program: string | null = null
  let asar: Asar | null = null
  let files: readonly string[] = []
  const made = join(folder.path, 'out/linux-unpacked')
  const archive = join(made, 'resources/app.asar')

  beforeAll(async () => {
    const why = await fetchPackage(ELECTRON_BUILDER)
    program = ELECTRON_BUILDER.find()
    if (program === null) throw new Error(`electron-builder could not be fetched from npm: ${why ?? 'it is not there'}`)
    const stubRuntime = join(folder.path, 'stub')
    writeStubRuntime(stubRuntime)
    const out = `-c.directories.output=${join(folder.path, 'out')}`
    await packDesktop({ root, builder: program, stubRuntime, args: ['--linux', 'dir', '--x64', out] })
    const found = createRequire(program).resolve('@electron/asar')
    const module = (await import(pathToFileURL(found).href)) as Asar & { default?: Asar }
    asar = module.default ?? module
    files = asar.listPackage(archive, { isPack: false }).map((path) => path.slice(1))
  }, 400_000)
  afterAll(() => folder.remove())

  test('contains exactly the code that the desktop app can load', () => {
    const { bundles, otherBundles } = desktopClosure(root)
    const packed = files.filter((file) => /^out\/main\/[^/]+\.js$/.test(file)).map((file) => file.slice(9))
    expect(packed.toSorted()).toEqual([...bundles].toSorted())
    expect(packed).toContain('index.js')
    expect(packed).toContain('recorder-thread.js')
    expect([...otherBundles]).toContain('aspy.js')
    const top = new Set(files.map((file) => file.split('/')[0]))
    expect([...top].toSorted()).toEqual([
      'LICENSE',
      'THIRD_PARTY_NOTICES.md',
      'node_modules',
      'out',
      'package.json',
      'resources',
    ])
    expect(files).toContain('out/preload/index.cjs')
    expect(files).toContain('out/renderer/index.html')
    expect(files).toContain('out/main/migrations/101.sql')
    expect(files).toContain('resources/icons/tray.png')
    expect(files).toContain('resources/claude-plugin/.claude-plugin/plugin.json')
    expect(files).toContain('resources/demo.jsonl.br')
  })

  test('contains only packages that this code loads', () => {
    const { packages, otherPackages } = desktopClosure(root)
    const packed = new Set(
      files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(file)?.slice(1) ?? []),
    )
    // Its headers are for who compiles.
    expect([...packed].toSorted()).toEqual([...packages].filter((name) => name !== 'node-addon-api').toSorted())
    expect([...packed]).toEqual(['better-sqlite3'])
    expect(otherPackages).toContain(`node-${process.platform}-${process.arch}`)
  })

  test('contains no sources, maps, declarations, tests or keys', () => {
    expect(files.filter((file) => /\.(map|ts|mts|cts|tsx|md)$/.test(file))).toEqual(['THIRD_PARTY_NOTICES.md'])
    expect(files.filter((file) => /\/(tests?|__tests__|examples?|benchmarks?)\//.test(file))).toEqual([])
    expect(files.filter((file) => /\.(pem|key|p12|env)$/.test(file))).toEqual([])
  })

  test("contains one system's native binary, next to the archive", () => {
    const binaries = files.filter((file) => file.endsWith('.node'))
    expect(binaries).toEqual(['node_modules/better-sqlite3/prebuilds/linux-x64.node'])
    const beside = statSync(join(`${archive}.unpacked`, binaries[0] ?? ''))
    expect(beside.size).toBeGreaterThan(1_000_000)
    expect(files).toContain('node_modules/better-sqlite3/lib/linux-x64.js')
    expect(files.filter((file) => /better-sqlite3\/lib\/(darwin|win32|linuxmusl)-/.test(file))).toEqual([])
  })

  test('starts the main bundle of this version', () => {
    const manifest = JSON.parse(asar?.extractFile(archive, 'package.json').toString() ?? '{}') as Record<
      string,
      unknown
    >
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(manifest).toMatchObject({ name: 'aspy', version, main: 'out/main/index.js', type: 'module' })
    expect(manifest).not.toHaveProperty('devDependencies')
  })

  test('runs: threads, native module, scheme and preload, from what was packed alone', async () => {
    const app = join(folder.path, 'extracted')
    asar?.extractAll(archive, app)
    const found = await selfCheck(app, folder.path)
    const faultless = ['threads', 'window', 'end'].map((name) => ({ name, fault: null }))
    expect(found).toMatchObject({ code: 0, result: { is_archive: false, fuses: null, checks: faultless } })

    for (const [part, name] of [
      ['out/preload/index.cjs', 'window'],
      ['out/main/recorder-thread.js', 'threads'],
    ] as const) {
      rmSync(join(app, part))
      const { code, result } = await selfCheck(app, folder.path)
      expect(code).toBe(1)
      expect(result.checks.find(({ fault }) => fault !== null)?.name).toBe(name)
    }
  })

  test('brings a command of its own: an app with its keeper, without a Node on the PATH', async () => {
    const command = packedCommand({ resources: join(made, 'resources'), platform: 'linux', env: {} })
    expect(command).toEqual([join(made, 'resources/command/node'), join(made, 'resources/command/bin/aspy')])
    const [node, script] = command ?? ['', '']
    vi.stubEnv('ASPY_BUNDLES', '')
    vi.stubEnv('PATH', '/usr/bin:/bin')
    try {
      await startAndStop([node, script], join(folder.path, 'data'))
    } finally {
      vi.unstubAllEnvs()
    }
    const found = globSync('**/*.{map,node}', { cwd: join(made, 'resources/command') })
    expect(found).toEqual(['node_modules/better-sqlite3/prebuilds/linux-x64.node'])
  })

  test('sets the fuses of its executable', () => {
    // In the order of Electron: run as Node, encrypted cookies, NODE_OPTIONS, inspect arguments, integrity of the archive,
    // code from the archive only, a snapshot of the browser's own, more rights for file://.
    expect(readFuses(fuseFile('linux', join(made, 'aspy')))?.slice(0, 8)).toBe('01001100')
  })
})

test('every target of every system is configured', () => {
  for (const line of [
    '{ target: dmg, arch: [arm64, x64] }',
    '{ target: zip, arch: [arm64, x64] }',
    '{ target: nsis, arch: [x64] }',
    '{ target: AppImage, arch: [x64] }',
    '{ target: deb, arch: [x64] }',
    'npmRebuild: false',
    'schemes: [aspy]',
    'publish: null',
  ]) {
    expect(config).toContain(line)
  }
})

test('Windows and macOS icons contain the images they declare', () => {
  const windows = readFileSync(join(root, 'resources/icons/icon.ico'))
  expect([windows.readUInt16LE(2), windows.readUInt16LE(4)]).toEqual([1, 7])
  expect(windows.subarray(windows.readUInt32LE(18)).subarray(1, 4).toString()).toBe('PNG')
  const mac = readFileSync(join(root, 'resources/icons/icon.icns'))
  expect(mac.subarray(0, 4).toString()).toBe('icns')
  expect(mac.readUInt32BE(4)).toBe(mac.length)
  const picture = Buffer.from('a picture')
  expect(ico(new Map([[256, picture]])).subarray(22)).toEqual(picture)
  expect(() => icns(new Map([[16, picture]]))).toThrow('32 pixels')
})
