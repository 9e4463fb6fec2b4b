import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { readStore } from '../support/store/folder.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const NO_CLAUDE = lacks(findClaude() !== null)

const rowsOf = (dbPath: string, sql: string) => readStore(dbPath, (db) => db.prepare(sql).all()) as unknown[]
const dbOf = (app: TestApp) => join(app.data, 'lifestats.db')

const PROMPTS = 'SELECT session_id AS session, content FROM user_prompts ORDER BY timestamp, id'
const ENDS = `SELECT count(*) AS n FROM events WHERE kind = 'turn_ended'`

const settled = (app: TestApp, requests: number) =>
  until('all is recorded', async () => {
    const health = await app.call<Record<string, number>>('health.get')
    return health['exchanges_recorded'] === health['exchanges_seen'] && (health['exchanges_seen'] ?? 0) >= requests
  })

/** Messages that were in the client's queue, by its transcripts. */
const queued = (home: string) =>
  globSync(join(home, '.claude/projects/*/*.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line.includes('"operation":"enqueue"')).length

describe.skipIf(NO_CLAUDE)('stories of the real client that need more than one run at a time', () => {
  test('two sessions at once keep their prompts, answers and costs apart', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((request) => ({
      steps: [{ text: `An answer to: ${lastUserText(request.body).slice(-4)}` }],
      usage: { input_tokens: 100, output_tokens: lastUserText(request.body).includes('left') ? 10 : 20 },
    }))
    await using app = await startApp({ upstream: upstream.url })
    const runs = await Promise.all(
      ['Go left', 'Go right'].map((prompt) => runClaude({ baseUrl: app.proxy, prompt, home: home.path })),
    )
    await settled(app, upstream.requests.length)
    const [left, right] = runs.map(({ result }) => result?.session_id ?? '')
    const expected = [
      { session: left, content: 'Go left' },
      { session: right, content: 'Go right' },
    ]
    expect(rowsOf(dbOf(app), PROMPTS)).toEqual(expect.arrayContaining(expected))
    expect(rowsOf(dbOf(app), PROMPTS)).toHaveLength(2)
    for (const { result } of runs) {
      const [row] = rowsOf(dbOf(app), `SELECT total_cost_usd AS cost FROM sessions WHERE id = '${result?.session_id}'`)
      expect((row as { cost: number }).cost).toBeCloseTo(result?.total_cost_usd ?? 0, 9)
    }
    await app.run('transcripts.import', { paths: runs[0]?.transcripts ?? [] })
    expect(rowsOf(dbOf(app), PROMPTS)).toHaveLength(2)
    expect(rowsOf(dbOf(app), ENDS)).toEqual([{ n: 2 }])
  })

  test.each([
    // Two that wait for the end of a turn are sent as one message, and the client's own line has them as one.
    ['a text', 1, [{ text: 'I begin' }, { hold: 'busy' }, { text: ' and end.' }]],
    [
      'a call',
      2,
      [{ text: 'I look.' }, { hold: 'busy' }, { tool: 'Bash', input: { command: 'echo one' }, id: 'toolu_1' }],
    ],
  ] as const)('messages typed while the model works on %s are prompts, word for word', async (_, later, steps) => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((__, n) =>
      n === 0 ? { steps } : { steps: [{ text: `Answer ${n}.` }], usage: { input_tokens: 50, output_tokens: 5 } },
    )
    await using app = await startApp({ upstream: upstream.url })
    const typed = ['Paint the door', 'And  the <b>till</b>, please', 'Then\nstop.']
    const { result, transcripts, stderr } = await runClaude({
      baseUrl: app.proxy,
      prompt: typed[0] ?? '',
      home: home.path,
      async more(send) {
        await upstream.held('busy')
        for (const prompt of typed.slice(1)) send(prompt)
        // The first prompt passed through the queue too.
        await until('all were queued', () => Promise.resolve(queued(home.path) === typed.length))
        upstream.release('busy')
      },
    })
    expect(result?.is_error, stderr).toBe(false)
    await settled(app, upstream.requests.length)
    const session = result?.session_id
    const told = () => [
      rowsOf(dbOf(app), PROMPTS),
      rowsOf(dbOf(app), 'SELECT count(*) AS n, total(cost_usd) AS cost FROM api_usage'),
      rowsOf(dbOf(app), ENDS),
      rowsOf(dbOf(app), 'SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind'),
    ]
    const live = told()
    const prompts = later === 2 ? typed : [typed[0], typed.slice(1).join('\n')]
    expect(live[0]).toEqual(prompts.map((content) => ({ session, content })))
    const answers = upstream.requests.filter(({ kind }) => kind === 'messages').length
    expect(live[1]).toEqual([{ n: answers, cost: expect.closeTo(result?.total_cost_usd ?? 0, 9) }])
    await app.run('transcripts.import', { paths: transcripts })
    expect(told()).toEqual(live)
  })

  test('a session that was stopped in mid-answer and resumed has both prompts, each with its end', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((_, n) =>
      n === 0
        ? { steps: [{ text: 'I begin' }, { hold: 'stopped' }, { text: ' and go on' }] }
        : { steps: [{ text: 'Done at last.' }] },
    )
    await using app = await startApp({ upstream: upstream.url })
    const session = '11111111-1111-4111-8111-111111111111'
    const stop = new AbortController()
    const first = runClaude({
      baseUrl: app.proxy,
      prompt: 'Paint the door',
      home: home.path,
      args: ['--session-id', session],
      signal: stop.signal,
    })
    await upstream.held('stopped')
    stop.abort()
    await first
    const resumed = await runClaude({
      baseUrl: app.proxy,
      prompt: 'And the till',
      home: home.path,
      args: ['--resume', session],
    })
    expect(resumed.result?.is_error, resumed.stderr).toBe(false)
    await settled(app, upstream.requests.length)
    const expected = ['Paint the door', 'And the till'].map((content) => ({ session, content }))
    expect(rowsOf(dbOf(app), PROMPTS)).toEqual(expected)
    expect(rowsOf(dbOf(app), ENDS)).toEqual([{ n: 2 }])
    await app.run('transcripts.import', { paths: resumed.transcripts })
    expect(rowsOf(dbOf(app), PROMPTS)).toEqual(expected)
    expect(rowsOf(dbOf(app), ENDS)).toEqual([{ n: 2 }])
  })

  test('two forks from one point: the same prompts and sums whichever file is imported first', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((_, n) => ({ steps: [{ text: `Answer ${n}.` }] }))
    const run = (prompt: string, ...args: readonly string[]) =>
      runClaude({ baseUrl: upstream.url, prompt, home: home.path, args })
    const original = (await run('Begin here.')).result?.session_id ?? ''
    await run('Go left.', '--resume', original, '--fork-session')
    const { transcripts } = await run('Go right.', '--resume', original, '--fork-session')
    expect(transcripts).toHaveLength(3)
    const imported = async (paths: readonly string[]) => {
      await using app = await startApp({ upstream: upstream.url })
      await app.run('transcripts.import', { paths })
      return [PROMPTS, `SELECT id, title, prompts, total_tokens, total_cost_usd FROM sessions ORDER BY id`].map((sql) =>
        rowsOf(dbOf(app), sql),
      )
    }
    const byOriginal = transcripts.toSorted((a, b) => Number(b.includes(original)) - Number(a.includes(original)))
    const first = await imported(byOriginal)
    expect(first[0]?.map((row) => (row as { content: string }).content)).toEqual([
      'Begin here.',
      'Go left.',
      'Go right.',
    ])
    expect(await imported(byOriginal.toReversed())).toEqual(first)
  })

  test('a fork recorded live is the same as its import', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((_, n) => ({ steps: [{ text: `Answer ${n}.` }] }))
    const facts = (app: TestApp) =>
      [
        PROMPTS,
        'SELECT id, title, prompts, turn_count, total_tokens, total_cost_usd FROM sessions ORDER BY id',
        `SELECT session_id, kind, count(*) AS n FROM events
         WHERE kind IN ('user_prompt', 'assistant_text', 'api_usage', 'turn_ended')
         GROUP BY session_id, kind ORDER BY session_id, kind`,
      ].map((sql) => rowsOf(dbOf(app), sql))
    await using live = await startApp({ upstream: upstream.url })
    const run = (prompt: string, ...args: readonly string[]) =>
      runClaude({ baseUrl: live.proxy, prompt, home: home.path, args })
    const original = (await run('Begin here.')).result?.session_id ?? ''
    const { result, transcripts } = await run('Go left.', '--resume', original, '--fork-session')
    const fork = result?.session_id ?? ''
    await settled(live, upstream.requests.length)
    await using imported = await startApp({ upstream: upstream.url })
    await imported.run('transcripts.import', { paths: transcripts })
    expect(facts(imported)[0]).toEqual([
      { session: original, content: 'Begin here.' },
      { session: fork, content: 'Go left.' },
    ])
    expect(facts(live)).toEqual(facts(imported))
    for (const app of [live, imported])
      expect(await app.call('sessions.get', { session_id: fork })).toMatchObject({ forked_from: original })
  })
})
