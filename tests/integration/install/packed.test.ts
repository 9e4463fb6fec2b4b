import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderBytes, packProject, runProgram, type Surroundings } from '../../support/install/installed-package.ts'
import { NODE_VERSIONS, nodeFolder } from '../../support/install/node-versions.ts'
import { writeScriptedClient } from '../../support/install/scripted-client.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { endKeeper } from '../../support/keeper/end-keeper.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { few } from '../../support/runner/heavy.ts'

const MEGABYTE = 1_000_000

/** Commands that programs call, or people first, with what they read and what an app that runs answers. */
const CALLED: readonly (readonly [command: string, input: string, printed: unknown])[] = [
  ['hook', '{"session_id":"SESSION","hook_event_name":"Notification","message":"It waits"}', ''],
  // On a busy machine it prints nothing rather than late.
  ['statusline', '{"session_id":"SESSION"}', expect.stringMatching(/^(?:aspy ● recorded .*\n)?$/)],
  ['mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', expect.stringContaining('"name":"aspy_recall_context"')],
  ['status', '', expect.stringMatching(/^Aspy +running since/)],
  ['sessions', '', expect.stringContaining('Which theme for number')],
]
/** Hooks and the status line say only here what failed. */
const DEBUG = { ASPY_LOG: 'debug' }
const LATE = /^(?:(?:Abort|Timeout)Error: .*\n)?$/

// What somebody without a clone does: install the package into an empty folder, record a session, and remove it.
describe('the packed package', () => {
  const temp = makeTempFolder('aspy-install-')
  const folder = join(temp.path, 'empty')
  const home = join(temp.path, 'home')
  const modules = join(folder, 'node_modules')
  let archive = ''
  let upstream: MessagesUpstream

  beforeAll(async () => {
    for (const path of [folder, home]) mkdirSync(path)
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Take solarized, for the eyes.' }] }))
    archive = await packProject(join(temp.path, 'packed'))
    const started = performance.now()
    const { code, stderr } = await runProgram('npm', ['install', archive], { cwd: folder, path: [], home })
    expect([code, stderr.match(/npm error.*/)?.[0]]).toEqual([0, undefined])
    const seconds = (performance.now() - started) / 1000
    const sizes = [statSync(archive).size, folderBytes(modules)].map((bytes) => (bytes / MEGABYTE).toFixed(1))
    console.log(`archive ${sizes[0]} MB, installed ${sizes[1]} MB without Electron, in ${seconds.toFixed(1)} s`)
  })
  afterAll(async () => {
    await upstream.close()
    temp.remove()
  })

  test('holds what runs, the notices, and nothing else', () => {
    const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
    for (const file of [
      'bin/aspy',
      'out/main/aspy.js',
      'out/main/hook.js',
      'out/main/recorder-thread.js',
      'out/main/migrations/101.sql',
      'out/main/page.css',
      'out/main/files.json',
      'out/preload/index.cjs',
      'out/renderer/index.html',
      'resources/claude-plugin/.claude-plugin/plugin.json',
      'resources/demo.jsonl.br',
      'LICENSE',
      'docs/troubleshooting.md',
      'THIRD_PARTY_NOTICES.md',
    ]) {
      expect(files).toContain(`package/${file}`)
    }
    const expected =
      /^package\/(bin\/aspy|out\/(main|preload|renderer)\/.*|resources\/((claude-plugin|grafana|icons)\/.*|demo\.jsonl\.br)|[A-Z_]+(\.md)?|docs\/(([a-z]+\/)*[\w-]+\.md|images\/[\w-]+\.(png|svg|webp)|examples\/processors\/[\w-]+\.mjs)|package\.json)$/
    expect(files.filter((file) => !expected.test(file))).toEqual([])
    expect(files.filter((file) => /\.(map|[cm]?tsx?|tsbuildinfo|log)$/.test(file))).toEqual([])
    expect(statSync(archive).size).toBeLessThan(15 * MEGABYTE)
  })

  test('installs no package that only the desktop or the build needs', () => {
    const installed = readdirSync(modules).filter((name) => !name.startsWith('.'))
    expect(installed.filter((name) => !/^node-(bin-)?(linux|darwin|win)-/.test(name))).toEqual([
      'aspy',
      'better-sqlite3',
      'node-addon-api',
    ])
    expect(installed.length).toBeLessThanOrEqual(4)
    expect(folderBytes(modules)).toBeLessThan(250 * MEGABYTE)
    expect(readFileSync(join(modules, 'aspy', 'THIRD_PARTY_NOTICES.md'), 'utf8')).toContain('| better-sqlite3 |')
  })

  describe.each(few(NODE_VERSIONS, 1))('on Node %s', (version) => {
    const major = version.split('.')[0]
    const data = join(temp.path, `data-${major}`)
    const session = `00000000-0000-4000-8000-0000000000${major}`
    let surroundings: Surroundings

    beforeAll(async () => {
      const client = join(temp.path, `client-${major}`)
      mkdirSync(client)
      writeScriptedClient(client, session)
      surroundings = { cwd: folder, path: [client, await nodeFolder(version)], home }
    })

    test('records a session of `npx aspy run -- claude` and finds it again', async () => {
      const node = await runProgram('node', ['--version'], surroundings)
      expect(node.stdout).toBe(`v${version}\n`)
      const flags = ['--data', data, '--port', '0', '--proxy-port', '0', '--upstream', upstream.url]
      const run = ['aspy', 'run', ...flags, '--', 'claude', `Which theme for number ${major}?`]
      const ended = await runProgram('npx', ['--no-install', ...run], surroundings)
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: '200 Take solarized, for the eyes.\n' })
      const note = join(data, 'app.json')
      try {
        // The command itself, without npx, which puts another Node before the one under test.
        const recall = ['recall', 'solarized', '--json', '--data', data]
        await until('the answer is found', async () => {
          const found = await runProgram(join(modules, '.bin', 'aspy'), recall, surroundings)
          expect([found.code, found.stderr]).toEqual([0, ''])
          return found.stdout.includes('<mark>solarized</mark>, for the eyes') && found.stdout.includes(session)
        })
        for (const [command, input, printed] of CALLED) {
          const said = await runProgram(join(modules, '.bin', 'aspy'), [command, '--data', data], {
            ...surroundings,
            env: ['hook', 'statusline'].includes(command) ? DEBUG : {},
            input: input.replace('SESSION', session),
          })
          expect([command, said.code, said.stderr, said.stdout]).toEqual([
            command,
            0,
            expect.stringMatching(LATE),
            printed,
          ])
        }
      } finally {
        await endKeeper(data)
      }
      await expect.poll(() => existsSync(note)).toBe(false)
    })

    test('runs a hook and the status line silently, as Claude Code calls them', async () => {
      for (const command of ['hook', 'statusline']) {
        const entry = join(modules, 'aspy', 'bin', 'aspy')
        const { code, stderr } = await runProgram(
          'node',
          [entry, command, '--data', join(temp.path, 'none')],
          surroundings,
        )
        expect([code, stderr]).toEqual([0, ''])
      }
    })
  })

  test('says what it needs if Node is too old and none came with it', async () => {
    // As `npm install --omit=optional` leaves it.
    const alone = join(temp.path, 'alone')
    cpSync(join(modules, 'aspy'), join(alone, 'aspy'), { recursive: true })
    const bare = { cwd: folder, path: [await nodeFolder(NODE_VERSIONS[0])], home }
    expect(await runProgram(join(alone, 'aspy', 'bin', 'aspy'), ['sessions'], bare)).toMatchObject({
      code: 1,
      stderr: 'aspy: Node 24 is required, but this is v20.20.2. Install it from https://nodejs.org\n',
    })
  })

  test('prints commands that can be typed in any folder', async () => {
    const surroundings = { cwd: home, path: [await nodeFolder('20.20.2')], home }
    const entry = join(modules, 'aspy', 'bin', 'aspy')
    const none = join(temp.path, 'none')
    const { code, stderr } = await runProgram(entry, ['sessions', '--data', none], surroundings)
    expect(code).toBe(1)
    expect(stderr.trim().split(' ').slice(-3)).toEqual([entry, '--data', none])
  })

  test('is uninstalled with nothing left', async () => {
    const surroundings = { cwd: folder, path: [], home }
    expect(await runProgram('npm', ['uninstall', 'aspy'], surroundings)).toMatchObject({ code: 0 })
    // npm itself leaves its own index and an empty folder for commands.
    const left = existsSync(modules) ? readdirSync(modules, { recursive: true }) : []
    expect(left.filter((name) => name !== '.package-lock.json' && name !== '.bin')).toEqual([])
    expect(
      readdirSync(folder)
        .toSorted()
        .filter((name) => name !== 'node_modules'),
    ).toEqual(['package-lock.json', 'package.json'])
    expect(readdirSync(home)).toEqual([])
  })
})
