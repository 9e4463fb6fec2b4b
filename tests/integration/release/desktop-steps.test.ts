import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchBuilder } from '../../../scripts/fetch-builder.ts'
import { fuseFile, readFuses } from '../../../src/main/electron/read-fuses.ts'
import type { SelfCheck } from '../../../src/main/electron/self-check.ts'
import { desktopSpecs } from '../../support/desktop/desktop-specs.ts'
import { recordTools } from '../../support/release/recorded-tools.ts'
import { readWorkflow, runJob } from '../../support/release/run-job.ts'
import { writeStubFor } from '../../support/release/stub-runtimes.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

// The steps of a runner with Linux, with its tools recorded and an app that says what a test wants.
const temp = makeTempFolder('aspy-desktop-steps-')
const workspace = join(temp.path, 'checkout')
const tools = join(temp.path, 'tools')
const unpacked = join(workspace, 'out/packages/linux-unpacked')
let calls: () => readonly string[] = () => []

beforeAll(() => {
  mkdirSync(unpacked, { recursive: true })
  mkdirSync(tools)
  for (const name of ['scripts', 'package.json', 'CHANGELOG.md']) symlinkSync(join(ROOT, name), join(workspace, name))
  const app = `#!/bin/sh\nfor last; do :; done\nfile=\${last#--self-check=}\n[ -s result ] && cp result "$file"\nexit "$(cat code)"\n`
  writeFileSync(join(unpacked, 'aspy'), app)
  chmodSync(join(unpacked, 'aspy'), 0o755)
  calls = recordTools(tools)
})
afterAll(() => temp.remove())

/** The command that the package brings; its Node is the one of this test, its script does what is asked of it. */
function writeCommand(version: string): void {
  const folder = join(unpacked, 'resources/command')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  if (!existsSync(join(folder, 'node'))) symlinkSync(process.execPath, join(folder, 'node'))
  const script = `if (process.argv[2] === '--version') console.log('${version}')
else if (process.argv[2] === 'serve') { console.log('ready'); setInterval(() => undefined, 1000) }`
  writeFileSync(join(folder, 'bin/aspy'), script)
}

/** They need Electron's runtime. */
const DONE = [
  'npm ci',
  'npm run build',
  'node scripts/release/prepare-desktop.ts',
  'node scripts/release/pack-app.ts --dir',
]

const CHECKED = [...DONE, 'node scripts/release/check-tag.ts']

/** Runs the first job of the workflow with an app that writes this result and ends with this code. */
function selfCheck(result: object | null, code = 0, done = DONE): Promise<boolean> {
  writeFileSync(join(workspace, 'result'), result === null ? '' : JSON.stringify(result))
  writeFileSync(join(workspace, 'code'), String(code))
  return runJob(readWorkflow(), 'self-check', {
    workspace,
    artifacts: temp.path,
    env: { PATH: [tools, join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter) },
    contexts: { matrix: { os: 'ubuntu-24.04' } },
    done,
  })
}

test.runIf(process.platform === 'linux')('the packed app is judged by its own self-check', async () => {
  const good: SelfCheck = { version, is_archive: true, fuses: '010011001', checks: [{ name: 'threads', fault: null }] }
  writeCommand('0.0.0')
  await expect(selfCheck(good)).rejects.toThrow('the packed command says it is 0.0.0')
  writeCommand(version)
  expect(await selfCheck(good)).toBe(true)
  expect(calls().join('\n')).toContain(`sudo chmod 4755 ${join(unpacked, 'chrome-sandbox')}`)
  expect(calls().join('\n')).toMatch(/dbus-run-session -- xvfb-run -a .*aspy --self-check=/)
  const checks = [{ name: 'threads', fault: 'no native module' }]
  for (const [result, code, said] of [
    [{ ...good, is_archive: false }, 0, 'its code is not in an archive'],
    [{ ...good, fuses: '110011001' }, 0, 'its fuses are 11001100, not 01001100'],
    [{ ...good, fuses: null }, 0, 'its fuses are not there'],
    [{ ...good, version: '0.0.0' }, 0, 'its version is 0.0.0'],
    [{ ...good, checks }, 1, 'threads: no native module'],
    [good, 7, 'ended with 7'],
    [null, 1, 'said nothing'],
  ] as const) {
    await expect(selfCheck(result, code, CHECKED)).rejects.toThrow(said)
  }
})

/** Returns the system and processor of a program by its first bytes: ELF, Mach-O or PE. */
function systemOf(program: string): string {
  const head = readFileSync(program).subarray(0, 4096)
  if (head.readUInt32BE(0) === 0x7f454c46) return `linux-${head.readUInt16LE(18) === 0x3e ? 'x64' : 'other'}`
  if (head.readUInt32LE(0) === 0xfeedfacf) return `darwin-${head.readUInt32LE(4) === 0x0100000c ? 'arm64' : 'x64'}`
  return `win32-${head.readUInt16LE(head.readUInt32LE(60) + 4) === 0x8664 ? 'x64' : 'other'}`
}

const FEED = 'url: https://github.com/owner/aspy/releases/latest/download\n'
/** By system: where its program with the fuses is, its archive, and its native binary. */
const PACKED = {
  win: ['win-unpacked', 'Aspy.exe', 'resources', 'win32-x64'],
  mac: ['mac-arm64/Aspy.app/Contents', 'MacOS/Aspy', 'Resources', 'darwin-arm64'],
  linux: ['linux-unpacked', 'aspy', 'resources', 'linux-x64'],
} as const

// What the desktop jobs pack by the rules of each system, around a stub of Electron's runtime.
test.each(isHeavy ? (['win', 'mac', 'linux'] as const) : (['win'] as const))('packs for %s', async (system) => {
  const builder = await fetchBuilder(() => undefined)
  const stub = join(temp.path, `stub-${system}`)
  writeStubFor(system, stub, builder)
  const [folder, program, resources, binary] = PACKED[system]
  const target = [`--${system}`, 'dir', system === 'mac' ? '--arm64' : '--x64', `-c.electronDist=${stub}`]
  // As on GitHub, secrets that are not set are empty.
  const secrets = { CSC_LINK: '', CSC_KEY_PASSWORD: '', WINDOWS_CERTIFICATE: '', APPLE_ID: '' }
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/release/pack-app.ts'), ...target], {
    cwd: workspace,
    env: { ...process.env, ...secrets, GITHUB_REPOSITORY: 'owner/aspy' },
  })
  const made = join(workspace, 'out/packages', folder)
  const platform = { win: 'win32', mac: 'darwin', linux: 'linux' } as const
  expect(readFuses(fuseFile(platform[system], join(made, program)))?.slice(0, 8)).toBe('01001100')
  const native = join(made, resources, 'app.asar.unpacked/node_modules/better-sqlite3/prebuilds')
  expect(readdirSync(native)).toEqual([`${binary}.node`])
  const command = join(made, resources, 'command')
  const node = platform[system] === 'win32' ? 'node.exe' : 'node'
  for (const name of [
    node,
    'bin/aspy',
    'out/main/aspy.js',
    'out/main/files.json',
    `node_modules/better-sqlite3/prebuilds/${binary}.node`,
  ]) {
    expect([name, existsSync(join(command, name))]).toEqual([name, true])
  }
  expect(systemOf(join(command, node))).toBe(binary)
  // Elsewhere, only an installer's target gets one.
  const feed = system === 'linux' ? readFileSync(join(made, resources, 'app-update.yml'), 'utf8') : FEED
  expect(feed).toContain(FEED)
})

test('a spec that needs a shell of Unix says so, and runs on no Windows', () => {
  const source = readFileSync(join(ROOT, 'tests/support/desktop/desktop-specs.ts'), 'utf8')
  const bodies = source
    .slice(source.indexOf('const specs = {'), source.indexOf('} satisfies'))
    .split(/\n {2}'(?=[^\n]*async)/)
  const unix = bodies.filter((body) => /#!\/|\/bin\/|\bmkfifo\b|'(sh|bash|chmod)'/.test(body))
  expect(unix.length).toBeGreaterThan(0)
  for (const body of unix) {
    const spec = desktopSpecs.find(({ name }) => body.startsWith(name))
    expect(spec).toMatchObject({ needsUnix: true })
  }
})
