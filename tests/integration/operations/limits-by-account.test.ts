import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shortAccount } from '../../../src/shared/account.ts'
import { statusLine } from '../../../src/main/clients/claude-code/status-line.ts'
import { accountLabels, accountsOf, accountsOfCalls } from '../../../src/main/operations/reader/limits/accounts.ts'
import { ownerOfSession } from '../../../src/main/store/read/limit-readings.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const HOUR_S = 3600
const nowS = Math.floor(Date.now() / 1000)
const WINDOWS = ['5h', '7d', '7d_opus'] as const

/** What the API says of an account: each answer uses a step of each window. */
const PLANS: Readonly<Record<string, { start: number; step: number; reset: number }>> = {
  work: { start: 0.1, step: 0.01, reset: nowS + HOUR_S },
  home: { start: 0.6, step: 0.03, reset: nowS + 2 * HOUR_S },
  'org-1': { start: 0.3, step: 0.02, reset: nowS + 3 * HOUR_S },
  'org-2': { start: 0.2, step: 0.001, reset: nowS + 2.2 * HOUR_S },
  'work@org-1': { start: 0.05, step: 0.011, reset: nowS + HOUR_S },
  'work@org-2': { start: 0.6, step: 0.013, reset: nowS + 1.4 * HOUR_S },
  'home@org-1': { start: 0.3, step: 0.017, reset: nowS + 2 * HOUR_S },
  'home@org-2': { start: 0.1, step: 0.019, reset: nowS + 2.6 * HOUR_S },
}
const used = (account: string, answers: number, window = 0): number => {
  const { start = 0, step = 0 } = PLANS[account] ?? {}
  return Math.round((start + step * answers) * 1000) / 1000 / (window + 1)
}

/** Answers with the limits of the account that asks, in the organization that is asked for; a key alone belongs to one. */
async function startVendor() {
  const answers = new Map<string, number>()
  return startMessagesUpstream(({ body, headers }) => {
    const { metadata } = body as unknown as { metadata: { user_id: string } }
    const told = (JSON.parse(metadata.user_id) as { account_uuid: string }).account_uuid
    const asked = headers['x-asked-organization']?.toString()
    const organization = asked ?? (headers['x-api-key'] === 'sk-ant-dummy' ? 'org-0' : 'org-1')
    const account = told === '' ? organization : asked === undefined ? told : `${told}@${organization}`
    const count = (answers.get(account) ?? 0) + 1
    answers.set(account, count)
    const limits = WINDOWS.flatMap((window, at) => [
      [`anthropic-ratelimit-unified-${window}-utilization`, String(used(account, count, at))],
      [`anthropic-ratelimit-unified-${window}-reset`, String((PLANS[account]?.reset ?? 0) + at * 60 * HOUR_S)],
    ])
    return {
      steps: [{ text: 'ok' }],
      usage: { input_tokens: 1000, output_tokens: 500 },
      headers: { ...(Object.fromEntries(limits) as Record<string, string>), 'anthropic-organization-id': organization },
    }
  })
}

type Latest = OperationOutput<'limits.latest'>
type Now = OperationOutput<'limits.now'>
type Series = OperationOutput<'limits.series'>

const ROUNDS = 6

/** Two accounts take turns, each in its own session. */
async function takeTurns(app: TestApp, rounds = ROUNDS): Promise<void> {
  const before = await app.count({ kind: 'rate_limit' })
  for (let round = 0; round < rounds; round += 1)
    for (const account of ['work', 'home'])
      await (await ask(app.proxy, { prompt: `${account} ${round}`, session: `s-${account}`, account })).text()
  await until('all is recorded', async () => (await app.count({ kind: 'rate_limit' })) === before + rounds * 2)
  await until('all is counted', async () => (await app.count({ kind: 'api_usage' })) >= before + rounds * 2)
}

test('two accounts that take turns never share a window, a step or a share', async () => {
  using folder = makeTempFolder()
  await using upstream = await startVendor()
  const ids: Record<string, string> = {}
  {
    await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
    await takeTurns(app)
    for (const account of ['work', 'home']) {
      const own = await app.call<Latest>('limits.latest', { session_id: `s-${account}` })
      expect(own.windows.map(({ name, utilization }) => [name, utilization])).toEqual([
        ['5h', used(account, ROUNDS)],
        ['7d', used(account, ROUNDS, 1)],
      ])
      ids[account] = own.windows[0]?.account ?? ''
    }
    expect(new Set(Object.values(ids)).size).toBe(2)
    // A session that has asked nothing may use either.
    expect((await app.call<Latest>('limits.latest', { session_id: 'new' })).windows).toEqual([])
  }
  const names = { [ids['work'] ?? '']: 'Work', [ids['home'] ?? '']: 'Home' }
  await using app = await startApp({
    upstream: upstream.url,
    dataDir: folder.path,
    settings: { 'limits.accounts': names },
  })
  const latest = await app.call<Latest>('limits.latest')
  expect(latest.windows.map(({ account, name, utilization }) => [account, name, utilization])).toEqual([
    ['Home', '5h', used('home', ROUNDS)],
    ['Home', '7d', used('home', ROUNDS, 1)],
    ['Work', '5h', used('work', ROUNDS)],
    ['Work', '7d', used('work', ROUNDS, 1)],
  ])
  const now = await app.call<Now>('limits.now')
  expect(now.windows.map(({ account, window }) => [account, window])).toEqual(
    ['Home', 'Work'].flatMap((account) => WINDOWS.map((window) => [account, window])),
  )
  for (const { account = '', window, ...found } of now.windows) {
    expect(found.account_id?.startsWith(ids[account.toLowerCase()]?.split('-')[0] ?? 'none')).toBe(true)
    const own = account.toLowerCase()
    const at = WINDOWS.findIndex((name) => name === window)
    expect(found.used).toBe(used(own, ROUNDS, at))
    expect(found.resets_at).toBe(new Date(((PLANS[own]?.reset ?? 0) + at * 60 * HOUR_S) * 1000).toISOString())
    expect(found.curve.at(-1)?.used).toBe(found.used)
    expect(found.curve.every(({ used: share }) => share >= used(own, 1, at) && share <= found.used)).toBe(true)
    expect(found.by_session.map(({ session_id: id, calls }) => [id, calls])).toEqual([[`s-${own}`, ROUNDS]])
    expect(found.by_prompt.every(({ session_id: id }) => id === `s-${own}`)).toBe(true)
    expect(found.attributed + found.elsewhere).toBeCloseTo(found.used, 9)
  }
  const series = await app.call<Series>('limits.series', { bucket_minutes: 1440 })
  const ofSeries = series.items.map((item) => [item.account, item.five_hour_used, item.seven_day_used])
  expect(ofSeries.toSorted()).toEqual([
    ['Home', used('home', ROUNDS), used('home', ROUNDS, 1)],
    ['Work', used('work', ROUNDS), used('work', ROUNDS, 1)],
  ])
  const steps = reading(join(folder.path, 'lifestats.db'), (reader) =>
    reader.all<{ account: string; step: number }>(
      "SELECT account, round(step, 6) AS step FROM limit_steps WHERE limit_window = '5h' AND step IS NOT NULL",
    ),
  )
  expect(steps.length).toBe(2 * (ROUNDS - 1))
  for (const { account, step } of steps)
    expect(step).toBeCloseTo(account.startsWith(ids['home'] ?? '') ? 0.03 : 0.01, 9)

  const answer = await fetch(`${app.app}/api/lifestats/limits`, { headers: { authorization: `Bearer ${app.token}` } })
  const { windows } = (await answer.json()) as Now
  expect(windows.map(({ account, window, used: share }) => [account, window, share])).toEqual(
    now.windows.map(({ account, window, used: share }) => [account, window, share]),
  )
  const { stdout } = await aspyHere(['limits', '--data', folder.path])
  for (const [account, share] of [
    ['Home', '78'],
    ['Work', '16'],
  ])
    expect(stdout).toContain(`${account}, 5h: ${share}% used`)
  const { signal } = new AbortController()
  const line = (session_id: string) =>
    statusLine({ body: JSON.stringify({ session_id }), dataDir: folder.path, baseUrl: undefined, signal })
  expect(await line('s-home')).toMatch(/ · 5h 78% · 7d 39%$/)
  expect(await line('s-work')).toMatch(/ · 5h 16% · 7d 8%$/)
  const { warnings } = await app.running.health()
  expect(warnings.map(({ code }) => code).filter((code) => code.startsWith('limit'))).toEqual(['limit_5h_75_Home'])
})

test('keys and tokens that change count as one account if their organization is known', async () => {
  await using upstream = await startVendor()
  await using app = await startApp({ upstream: upstream.url })
  for (const key of ['sk-ant-one', 'sk-ant-two', 'sk-ant-three'])
    await (await ask(app.proxy, { prompt: key, session: key, account: '', headers: { 'x-api-key': key } })).text()
  await until('all is counted', async () => (await app.count({ kind: 'api_usage' })) === 3)
  await until('all is recorded', async () => (await app.count({ kind: 'rate_limit' })) === 3)
  const { windows } = await app.call<Latest>('limits.latest', { session_id: 'sk-ant-one' })
  expect(windows).toMatchObject([
    { name: '5h', utilization: used('org-1', 3) },
    { name: '7d', utilization: used('org-1', 3, 1) },
  ])
  expect(windows[0]).not.toHaveProperty('account')
  const now = await app.call<Now>('limits.now')
  expect(now.windows.map(({ window }) => window)).toEqual([...WINDOWS])
  expect(now.windows[0]?.by_session.map(({ calls }) => calls)).toEqual([1, 1, 1])
  await takeTurns(app, 1)
  const { windows: all } = await app.call<Latest>('limits.latest')
  expect(new Set(all.map(({ account }) => account)).size).toBe(3)
})

test('an account in two organizations has limits in each, also within one session and without an id', async () => {
  using folder = makeTempFolder()
  await using upstream = await startVendor()
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const accounts = ['work@org-1', 'home@org-1', 'org-2', 'work@org-2', 'home@org-2']
  const say = async (session: string, of: string, round: number) => {
    const [account = '', organization = account] = of.split('@')
    await (
      await ask(app.proxy, {
        prompt: `${of} ${round}`,
        session,
        account: of.includes('@') ? account : '',
        // The token of an account without an id is another one each time.
        headers: { 'x-asked-organization': organization, 'x-api-key': `sk-ant-${round}` },
      })
    ).text()
  }
  // One session stays with each account; in another, each logs in after the other.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const of of accounts) {
      await say(`s-${of}`, of, round)
      await say('s-all', of, round)
    }
  const answers = 2 * ROUNDS
  await until('all is recorded', async () => (await app.count({ kind: 'rate_limit' })) === answers * accounts.length)
  await until('all is counted', async () => (await app.count({ kind: 'api_usage' })) === answers * accounts.length)

  const own = async (session_id: string) => (await app.call<Latest>('limits.latest', { session_id })).windows
  const labels = new Map<string, string>()
  for (const of of accounts) {
    const windows = await own(`s-${of}`)
    expect(windows.map(({ name, utilization }) => [name, utilization])).toEqual([
      ['5h', used(of, answers)],
      ['7d', used(of, answers, 1)],
    ])
    labels.set(windows[0]?.account ?? '', of)
  }
  expect([...labels.keys()].map((label) => /^[0-9a-f]{8}(?:-[0-9a-f]{8})?$/.test(label))).toEqual(
    accounts.map(() => true),
  )
  expect(labels.size).toBe(accounts.length)
  expect(await own('s-all')).toEqual(await own('s-home@org-2'))

  const now = await app.call<Now>('limits.now')
  expect(now.windows.map(({ account = '', window }) => [labels.get(account), window]).toSorted()).toEqual(
    accounts.flatMap((of) => WINDOWS.map((window) => [of, window])).toSorted(),
  )
  for (const { account = '', window, ...found } of now.windows) {
    const of = labels.get(account) ?? ''
    const at = WINDOWS.findIndex((name) => name === window)
    expect(found.used).toBe(used(of, answers, at))
    expect(found.curve.map(({ used: share }) => share)).toContain(used(of, answers, at))
    const calls = found.by_session.map(({ session_id: id, calls: count }) => [id, count])
    expect(calls.toSorted()).toEqual([
      ['s-all', ROUNDS],
      [`s-${of}`, ROUNDS],
    ])
    expect(found.attributed + found.elsewhere).toBeCloseTo(found.used, 9)
  }
  const { signal } = new AbortController()
  const body = JSON.stringify({ session_id: 's-work@org-2' })
  expect(await statusLine({ body, dataDir: folder.path, baseUrl: undefined, signal })).toMatch(/ · 5h 76% · 7d 38%$/)
  const { warnings } = await app.running.health()
  const high = warnings.flatMap(({ code }) => /^limit_(5h_75)_(.*)/.exec(code)?.slice(1) ?? [])
  expect(high.map((part) => labels.get(part) ?? part)).toEqual(['5h_75', 'work@org-2'])
  const steps = reading(join(folder.path, 'lifestats.db'), (reader) =>
    reader.all<{ account: string; limit_window: string; step: number }>(
      'SELECT account, limit_window, step FROM limit_steps WHERE step IS NOT NULL',
    ),
  )
  expect(steps.length).toBe((answers - 1) * accounts.length * WINDOWS.length)
  for (const { account, limit_window: window, step } of steps) {
    const [, of = ''] = [...labels].find(([label]) => shortAccount(account) === label) ?? []
    const at = WINDOWS.findIndex((name) => name === window)
    expect(step).toBeCloseTo((PLANS[of]?.step ?? 0) / (at + 1), 9)
  }
})

describe('whose limits', () => {
  const [user, other] = ['3f2a9c1b00', '77e0b2d400']
  const [first, second] = ['3f2a9c1b-aaaaaaaa11', '3f2a9c1b-bbbbbbbb11']
  const report = (timestamp: string, owner: string, session_id = 's') => ({
    timestamp,
    owner,
    session_id,
    user_id: user,
    request_id: `r${timestamp}`,
    client: null,
    payload: '',
  })

  test('a report of an earlier version is of the only organization of its user', () => {
    const before = report('1', user)
    expect(accountsOf([before, report('2', first)])(before)).toBe(first)
    expect(accountsOf([before, report('2', first), report('3', second)])(before)).toBe(user)
    expect(accountsOf([report('2', first)])({ user_id: other, owner: other })).toBe(other)
  })

  test('a call without a report of its own has the account that its session used last', () => {
    const call = (timestamp: string, session_id: string, request_id = 'none', user_id: string | null = user) => {
      const client = null
      return { timestamp, session_id, request_id, user_id, client }
    }
    const calls = [
      call('0', 's'),
      call('2', 's'),
      call('3', 't'),
      call('5', 's'),
      call('6', 's', 'r1'),
      call('7', 'u', 'none', other),
      call('8', 's', 'none', null),
    ]
    const found = accountsOfCalls([report('1', first), report('3', second, 't'), report('4', second)], calls)
    expect([...found.values()]).toEqual([first, first, second, second, first, other, null])
  })

  test.each([
    [{ '3f2a9c1b': 'Work' }, [first], ['Work']],
    [{ '3f2a9c1b': 'Work' }, [first, second], ['Work aaaaaaaa', 'Work bbbbbbbb']],
    [{ '3f2a9c1b': 'Work', '3f2a9c1b-bbbb': 'Club' }, [first, second], ['Work', 'Club']],
    [{}, [first, null], ['3f2a9c1b-aaaaaaaa', 'unknown account']],
    [{}, [second], [undefined]],
  ])('the names %j', (names, accounts, labels) => {
    const labelOf = accountLabels(accounts, names)
    expect(accounts.map((account) => labelOf(account).account)).toEqual(labels)
  })
})

test('the account of a session is looked for among its newest 500 events', () => {
  const { store, dbPath } = openTestStore()
  store.close()
  withWriter(dbPath, (db) => {
    const add = db.prepare(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < @count)
       INSERT INTO events (uuid, session_id, turn_id, seq, kind, source, ts_wall, schema_version, payload, user_id, agent_id)
       SELECT @session || @kind || n, @session, 1, n + @seq, @kind, 'wire', @at, 1, @payload, @user_id, 'agent' FROM n`,
    )
    const limit = { count: 1, seq: 0, kind: 'rate_limit', at: '2026-11-01T00:00:00.000Z', user_id: null }
    const after = {
      seq: 1,
      kind: 'assistant_text',
      at: '2026-11-02T00:00:00.000Z',
      payload: '{"text":"x"}',
      user_id: null,
    }
    for (const [session, count] of [
      ['near', 499],
      ['far', 500],
    ] as const) {
      add.run({ ...limit, session, payload: JSON.stringify({ organization: session }) })
      add.run({ ...after, session, count })
    }
  })
  const owner = (session: string) => reading(dbPath, (reader) => ownerOfSession(reader, session))
  expect([owner('near'), owner('far')]).toEqual([{ user_id: null, owner: expect.any(String) }, undefined])
})
