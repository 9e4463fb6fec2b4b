import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { OPEN_TERMINAL, START_CLIENT } from '../../../src/shared/bridge.ts'
import { AspyError } from '../../../src/shared/contract/errors.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'
import type { IpcDispatch } from '../../../src/main/surfaces/ipc/ipc-surface.ts'
import { HOSTILE_NAMES } from '../../../src/main/electron/fixtures/hostile-names.ts'
import { terminalCommand } from '../../../src/main/electron/terminal-command.ts'
import { findProgram, withTerminal } from '../../../src/main/electron/open-terminal.ts'

const ID = '0f9b3c1e-5d2a-4c7b-9e8f-0123456789ab'
const access = { access: 'all' } as const

/** A store that knows one session, and the queries that it received. */
function storeOf(project: string | null, variables: Record<string, string> | null = null) {
  const asked: unknown[] = []
  const dispatch: IpcDispatch = {
    async call(name, input) {
      asked.push([name, input])
      if (name === 'sessions.get' && (input as { session_id: string }).session_id !== ID) {
        throw new AspyError('not_found', 'no such session')
      }
      return new TextEncoder().encode(JSON.stringify(name === 'claude_code.connection' ? { variables } : { project }))
    },
    async *stream() {
      yield { json: new Uint8Array() }
    },
  }
  return { asked, dispatch }
}

test('no other surface can use it, because it is not an operation', () => {
  expect([OPEN_TERMINAL, START_CLIENT].map(findOperation)).toEqual([undefined, undefined])
})

describe.skipIf(process.platform === 'win32')('a terminal', () => {
  /** A terminal that writes down how it was started. */
  function fakeTerminal(folder: string): { file: string; said: string } {
    const file = join(folder, 'terminal')
    const said = join(folder, 'said')
    writeFileSync(file, `#!/bin/sh\nprintf '%s|' "$PWD" "$@" >'${said}.part'\nmv '${said}.part' '${said}'\n`)
    chmodSync(file, 0o700)
    return { file, said }
  }

  test('opens in the folder from the store; other input is ignored', async () => {
    using place = makeTempFolder()
    const { file, said } = fakeTerminal(place.path)
    const folder = join(realpathSync(place.path), "it's $(touch owned); -x")
    mkdirSync(folder)
    const { dispatch, asked } = storeOf(folder)
    const env = { PATH: '/usr/bin:/bin', TERMINAL: file }
    const own = withTerminal({ dispatch, env, platform: () => 'linux', scripts: place.path })
    await own.call(OPEN_TERMINAL, { session_id: ID, project: '/etc', command: 'rm' }, access)
    await until('the terminal was started', async () => existsSync(said))
    expect(readFileSync(said, 'utf8')).toMatch(new RegExp(String.raw`\|claude\|--resume\|${ID}\|$`))
    expect(readFileSync(said, 'utf8').startsWith(`${folder}|-e|`)).toBe(true)
    expect(asked).toEqual([['sessions.get', { session_id: ID }]])
  })

  test.each([null, 'x', { session_id: 1 }, { session_id: `${ID};x` }, { session_id: '--help' }, ID])(
    'is not opened for %j, and nothing is looked up',
    async (input) => {
      const { dispatch, asked } = storeOf('/')
      const own = withTerminal({ dispatch, env: {}, platform: () => 'linux', scripts: '/nowhere' })
      await expect(own.call(OPEN_TERMINAL, input, access)).rejects.toMatchObject({ code: 'bad_input' })
      expect(asked).toEqual([])
    },
  )

  test('is refused with advice if the folder is not usable', async () => {
    using place = makeTempFolder()
    const file = join(place.path, 'a file')
    writeFileSync(file, '')
    const said = async (project: string | null, session_id = ID, platform: NodeJS.Platform = 'linux') => {
      const own = withTerminal({ dispatch: storeOf(project).dispatch, env: {}, platform: () => platform, scripts: '/' })
      return own.call(OPEN_TERMINAL, { session_id }, access).then(String, (error: Error) => error.message)
    }
    expect(await said('/', ID.replace('0', '1'))).toBe('no such session')
    expect(await said(null)).toContain(`run claude --resume ${ID}`)
    for (const gone of [join(place.path, 'gone'), file, 'relative', '/a\0b']) {
      expect(await said(gone)).toContain('is not on this machine')
    }
    expect(await said(String.raw`\\host\share`, ID, 'win32')).toContain('is not on this machine')
    expect(await said(place.path)).toContain('Set $TERMINAL to yours')
  })

  test('starts Claude Code in the folder that the user chose, connected to the app; what the page says is ignored', async () => {
    using place = makeTempFolder()
    const { file, said } = fakeTerminal(place.path)
    const folder = join(realpathSync(place.path), 'a b')
    mkdirSync(folder)
    const { dispatch } = storeOf(null, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/x' })
    const env = { PATH: '/usr/bin:/bin', TERMINAL: file }
    const start = (chosen: string | null, variables: Record<string, string> | null = { A: 'b' }) =>
      withTerminal({
        dispatch: variables === null ? storeOf(null, null).dispatch : dispatch,
        env,
        platform: () => 'linux',
        scripts: place.path,
        chooseFolder: async () => chosen,
      })
        .call(START_CLIENT, { folder: '/etc', command: 'rm' }, access)
        .then(
          (answer) => new TextDecoder().decode(answer),
          (error: Error) => error.message,
        )
    expect(await start(null)).toBe('false')
    expect(await start('relative')).toContain('only in a folder on this machine')
    expect(await start(folder, null)).toContain('The proxy is off')
    expect(existsSync(said)).toBe(false)
    expect(await start(folder)).toBe('true')
    await until('the terminal was started', async () => existsSync(said))
    expect(readFileSync(said, 'utf8')).toMatch(
      /^[^|]*\/a b\|-e\|.*\|\/usr\/bin\/env\|ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:1\/x\|claude\|$/,
    )
  })

  test('that cannot be started is reported', async () => {
    using place = makeTempFolder()
    const file = join(place.path, 'terminal')
    writeFileSync(file, '#!/no/such/interpreter\n', { mode: 0o700 })
    const { dispatch } = storeOf(place.path)
    const own = withTerminal({ dispatch, env: { TERMINAL: file }, platform: () => 'linux', scripts: '/' })
    await expect(own.call(OPEN_TERMINAL, { session_id: ID }, access)).rejects.toThrow('Could not start the terminal')
  })

  test('on macOS runs a script that only starts claude in the folder, whatever its name', () => {
    using place = makeTempFolder()
    const programs = join(place.path, 'bin')
    const said = join(place.path, 'said')
    mkdirSync(programs)
    writeFileSync(join(programs, 'claude'), `#!/bin/sh\nprintf '%s|' "$PWD" "$@" >>'${said}'\n`)
    chmodSync(join(programs, 'claude'), 0o700)
    const folders = HOSTILE_NAMES.map((name) => join(place.path, name))
    for (const folder of folders) {
      mkdirSync(folder)
      const script = terminalCommand({
        platform: 'darwin',
        env: {},
        folder,
        sessionId: ID,
        scripts: place.path,
        find: () => null,
      })?.script
      writeFileSync(script?.file ?? '', script?.text ?? '', { mode: 0o700 })
      const env = { PATH: `${programs}:/usr/bin:/bin`, SHELL: '/bin/echo' }
      execFileSync('/bin/sh', [script?.file ?? ''], { cwd: place.path, env })
      expect(existsSync(script?.file ?? '')).toBe(false)
    }
    expect(readFileSync(said, 'utf8')).toBe(folders.map((folder) => `${folder}|--resume|${ID}|`).join(''))
    const owned = [place.path, ...folders].filter((folder) => existsSync(join(folder, 'owned')))
    expect(owned).toEqual([])
  })

  test('is searched only in absolute folders of PATH', () => {
    using place = makeTempFolder()
    const { file } = fakeTerminal(place.path)
    writeFileSync(join(place.path, 'plain'), '', { mode: 0o600 })
    expect(findProgram('terminal', `.:bin:${place.path}`)).toBe(file)
    expect(findProgram(file)).toBe(file)
    expect(findProgram('terminal', relative(process.cwd(), place.path))).toBeNull()
    expect(findProgram('./terminal', place.path)).toBeNull()
    // Not even root may run it.
    expect(findProgram('plain', place.path)).toBeNull()
    expect(findProgram(place.path)).toBeNull()
  })
})

test('other calls are passed to the operations unchanged', async () => {
  const { dispatch, asked } = storeOf('/')
  const own = withTerminal({ dispatch, env: {}, platform: () => 'linux', scripts: '/' })
  await own.call('health.get', { a: 1 }, access)
  expect(asked).toEqual([['health.get', { a: 1 }]])
})
