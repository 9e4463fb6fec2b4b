import { join } from 'node:path'
import { expect, test } from 'vitest'
import { statusLine } from '../../../src/main/clients/claude-code/status-line.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
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
}
const used = (account: string, answers: number, window = 0): number => {
  const { start = 0, step = 0 } = PLANS[account] ?? {}
  return Math.round((start + step * answers) * 1000) / 1000 / (window + 1)
}

/** Answers with the limits of the account that asks; a key alone belongs to an organization. */
async function startVendor() {
  const answers = new Map<string, number>()
  return startMessagesUpstream(({ body, headers }) => {
    const { metadata } = body as unknown as { metadata: { user_id: string } }
    const told = (JSON.parse(metadata.user_id) as { account_uuid: string }).account_uuid
    const organization = headers['x-api-key'] === 'sk-ant-dummy' ? 'org-0' : 'org-1'
    const account = told === '' ? organization : told
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
