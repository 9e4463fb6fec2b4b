import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { fillStore } from '../../support/store/seeded-store.ts'
import { startApp } from '../../support/app/start-app.ts'
import { LONG, momentOf, surfaceHistory, TURNS } from '../../support/app/surface-history.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

// Each runs several commands, each a separate process.
/** The reading commands over a history that is larger than their defaults, and no app runs. */
describe('commands that read', () => {
  let folder: TempFolder
  beforeAll(() => {
    folder = makeTempFolder()
    fillStore(folder.path, surfaceHistory())
  })
  afterAll(() => folder?.remove())

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await aspyHere([...args, '--data', folder.path])
    expect([code, stderr], args.join(' ')).toEqual([0, ''])
    return stdout
  }
  const json = async <T = { items: Record<string, unknown>[] }>(...args: string[]) =>
    JSON.parse(await run(...args, '--json')) as T

  test('recent shows the newest 50, of one session, project or kind', async () => {
    const { items } = await json('recent')
    expect(items).toHaveLength(50)
    expect(items[0]).toMatchObject({ session_id: 's-short-10', kind: 'user_prompt', text: 'A short question 10' })
    const thoughts = await json('recent', '--session', LONG, '--kinds', 'thinking', '--limit', '2')
    expect(thoughts.items.map((item) => item['text'])).toEqual([
      `Thought ${TURNS}: solarized tires less.`,
      `Thought ${TURNS - 1}: solarized tires less.`,
    ])
    expect((await json('recent', '--project', '/elsewhere')).items).toEqual([])
    expect(await run('recent', '--limit', '1')).toMatch(/user_prompt.*A short question 10/)
  })

  test('timeline goes through a session in order; without one, through the newest', async () => {
    const whole = await json<{ session_id: string; items: Record<string, unknown>[] }>('timeline', LONG)
    expect(whole.items).toHaveLength(50)
    expect(whole.items[0]).toMatchObject({ kind: 'user_prompt', ts_wall: momentOf(60), duration_ms: null })
    const span = await json('timeline', LONG, '--since', momentOf(119), '--until', momentOf(126))
    expect(span.items.map((item) => item['kind'])).toEqual([
      'user_prompt',
      'thinking',
      'tool_call',
      'tool_result',
      'assistant_text',
      'api_usage',
    ])
    expect(await run('timeline')).toMatch(/^Session s-short-10\n[^]*A short question 10/)
  })

  test('replay lists all events of a session or a turn in the order they arrived', async () => {
    const replayed = async (...args: string[]) =>
      (await run('replay', LONG, '--json', ...args))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { turn_id: number; seq: number; kind: string })
    const all = await replayed()
    expect(all.length).toBeGreaterThan(TURNS * 6)
    expect(all).toEqual(all.toSorted((a, b) => a.turn_id - b.turn_id || a.seq - b.seq))
    expect(await replayed('--turn', '2')).toEqual(all.filter(({ turn_id }) => turn_id === 2))
    expect(await run('replay', LONG, '--turn', '2')).toMatch(/^2\.0 .*user_prompt.*Prompt 2: which theme\?\n/)
  })

  test('slowest lists tools, or events of any kind', async () => {
    expect((await json('slowest', '--limit', '1')).items).toMatchObject([{ name: 'Read', duration_ms: 250 }])
    expect((await json('slowest', '--by', 'kind')).items[0]).toMatchObject({ name: 'api_usage', duration_ms: 900 })
    expect(await run('slowest')).toMatch(/250 ms.*Read/)
  })

  test('resume says where a session left off', async () => {
    const pack = await run('resume', LONG)
    expect(pack).toMatch(/quoted/i)
    expect(pack).toContain(`Prompt ${TURNS}: which theme?`)
    expect(pack).toContain('Paint the header')
    expect(pack).toContain('Overloaded 21')
    expect(pack).toContain('make theme')
    const stood = await json<Record<string, unknown>>('resume', LONG)
    expect(stood).toMatchObject({ session_id: LONG, open_tasks: ['Paint the header (in_progress)'] })
    const { code, stderr } = await aspyHere(['resume', 'nobody', '--data', folder.path])
    expect([code, stderr]).toEqual([1, 'aspy: there is no session nobody\n'])
  })

  test('every other reader has --json, and its flags narrow the answer', async () => {
    const [recall, sessions, session, tools, errors, stats, trace, config] = await Promise.all([
      json<{ items: unknown[]; total: number }>('recall', 'solarized', '--limit', '3', '--until', momentOf(180)),
      json('sessions', '--since', momentOf(100_005)),
      json<{ id: string; history: { items: unknown[] } }>('session', LONG),
      json('tools', '--tool', 'Bash', '--since', momentOf(24 * 60), '--project', '/work/app'),
      json('errors', '--query', 'overloaded', '--session', LONG),
      json<{ total_prompts: number }>('stats', '--since', '2026-11-02'),
      json<{ items: { kind: string }[] }>('trace', '--last-error', '--match', 'no rule'),
      json('config'),
    ])
    expect([recall.items.length, recall.total]).toEqual([3, 4])
    expect(sessions.items).toHaveLength(6)
    expect([session.id, session.history.items.length]).toEqual([LONG, 20])
    expect(tools.items.map((item) => item['duration_ms'])).toEqual([240])
    expect(errors.items).toHaveLength(20)
    expect(stats.total_prompts).toBe(11)
    expect(trace.items.map(({ kind }) => kind)).toEqual(['user_prompt', 'thinking', 'tool_call', 'tool_result'])
    expect(config.items.length).toBeGreaterThan(20)
  })

  test('a command refuses options that it does not support', async () => {
    const [flag, by, nothing] = await Promise.all([
      aspyHere(['stats', '--session', 'x', '--data', folder.path]),
      aspyHere(['slowest', '--by', 'mood', '--data', folder.path]),
      aspyHere(['trace', '--data', folder.path]),
    ])
    expect([flag.code, flag.stderr]).toEqual([2, expect.stringMatching(/^aspy: unknown option "--session"/)])
    expect([by.code, by.stderr]).toEqual([2, expect.stringContaining('tool, kind')])
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringMatching(/aspy trace --data .* --last-error/)])
  })
})

describe('commands that write', () => {
  test('take the lock if no app runs, and leave no app behind', async () => {
    using folder = makeTempFolder()
    fillStore(folder.path, surfaceHistory())
    const refused = await aspyHere(['delete', 's-short-3', '--json', '--data', folder.path])
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('--yes')
    const before = await aspyHere(['stats', '--json', '--data', folder.path])
    expect(JSON.parse(before.stdout)).toMatchObject({ total_sessions: 12 })
    const deleted = await aspyHere(['delete', 's-short-3', '--yes', '--json', '--data', folder.path])
    expect([deleted.code, deleted.stderr]).toEqual([0, ''])
    expect(JSON.parse(deleted.stdout)).toMatchObject({ session_id: 's-short-3', events: 1 })
    const rebuilt = await aspyHere(['rebuild', '--json', '--data', folder.path])
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ done: true })
    const { stdout } = await aspyHere(['stats', '--json', '--data', folder.path])
    expect(JSON.parse(stdout)).toMatchObject({ total_sessions: 11 })
  })
})

describe('aspy statusline', () => {
  const SESSION = 's-status'
  let upstream: MessagesUpstream
  beforeAll(async () => {
    upstream = await startMessagesUpstream(() => ({
      steps: [{ text: 'Solarized it is.' }],
      usage: { input_tokens: 11_000, output_tokens: 1000 },
    }))
  })
  afterAll(() => upstream.close())

  /** As Claude Code calls it: with its data on the session on stdin. */
  async function statusline(dataDir: string, stdin: string, env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [ASPY_ENTRY, 'statusline', '--data', dataDir], {
      env: { HOME: dataDir, ...env },
    })
    const ended = once(child, 'close')
    child.stdin.on('error', () => undefined).end(stdin)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: (await ended)[0] as number | null, stdout, stderr }
  }
  const input = (session_id: string) =>
    JSON.stringify({
      session_id,
      cwd: '/home/user/project',
      model: { id: 'claude-sonnet-5-5', display_name: 'Sonnet' },
      cost: { total_cost_usd: 0.5, total_duration_ms: 1000 },
      context_window: { total_input_tokens: 11_000, context_window_size: 1_000_000, used_percentage: 1.1 },
    })

  /** It says nothing rather than keep a client waiting: on a machine that is busy it may take more than one start. */
  async function line(dataDir: string, session: string, env: Record<string, string> = {}): Promise<string> {
    let stdout = ''
    const comes = async () => {
      const output = await statusline(dataDir, input(session), env)
      expect([output.code, output.stderr]).toEqual([0, ''])
      stdout = output.stdout
      return stdout !== ''
    }
    await until('the line comes in time', comes, 60_000)
    return stdout
  }

  test('says whether the session is recorded, its cost, its tokens and its context', async () => {
    await using app = await startApp({ upstream: upstream.url })
    await (await ask(app.proxy, { prompt: 'Which theme?', session: SESSION })).text()
    await until('its usage is recorded', async () => {
      const { tokens } = await app.call<{ tokens: number | null }>('sessions.status', { session_id: SESSION })
      return tokens === 12_000
    })
    expect(await line(app.data, SESSION)).toMatch(/^aspy ● recorded · \$\d+\.\d\d · 12k tokens · context 1%\n$/)
    expect(await line(app.data, 's-elsewhere')).toBe('aspy ○ not captured · $0.50 · context 1%\n')
    // It has asked nothing yet, but it will ask here.
    expect(await line(app.data, 's-new', { ANTHROPIC_BASE_URL: app.proxy })).toBe(
      'aspy ● recorded · $0.50 · context 1%\n',
    )
  })

  test('shows what the client knows if no app runs, and ignores invalid input', async () => {
    using empty = makeTempFolder()
    expect(await line(empty.path, SESSION)).toBe('aspy ○ not captured · $0.50 · context 1%\n')
    expect(await statusline(empty.path, 'no JSON')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await statusline(empty.path, '')).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
