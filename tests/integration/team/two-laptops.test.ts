import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { writeTranscripts } from '../../support/store/generated-transcripts.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

describe.skipIf(lacksPostgres)('two laptops of one person with the same transcripts', () => {
  const transcripts = makeTempFolder('aspy-team-transcripts-')
  const folders = ['first', 'second'].map((name) => makeTempFolder(`aspy-team-${name}-`))
  let team: TeamWorld

  beforeAll(async () => {
    team = await startTeam()
    writeTranscripts(transcripts.path, { seed: 'two laptops', bytes: 3_000_000, bytesPerFile: 600_000 })
  })
  afterAll(async () => {
    await team?.[Symbol.asyncDispose]()
    for (const folder of [transcripts, ...folders]) folder.remove()
  })

  test('are one user, and each fact is one event', async () => {
    const facts: string[] = []
    let cost = 0
    for (const { path } of folders) {
      await team.join(path, 'ann')
      await using app = await startApp({
        upstream: 'http://127.0.0.1:9',
        dataDir: path,
        settings: { 'team.policy': 'full' },
      })
      await app.recorderRuns()
      await app.run('transcripts.import', { paths: [join(transcripts.path)] })
      const events = await app.count()
      expect(events).toBeGreaterThan(100)
      const summary = await app.call<{ total_cost_usd: number }>('stats.summary')
      cost = summary.total_cost_usd
      await until('everything was taken', async () => {
        const sink = (await app.running.health()).sinks.find(({ name }) => name === 'team')
        const positions = Number(await team.sql('SELECT coalesce(min(position), 0) FROM device_positions'))
        return sink?.waiting === 0 && sink.problem === null && positions >= events
      })
      await until(
        'the device has a position of its own',
        async () => Number(await team.sql('SELECT count(*) FROM device_positions')) === facts.length + 1,
      )
      facts.push(
        `${events} ${await team.sql('SELECT count(*) FROM events')} ${await team.sql('SELECT count(DISTINCT member_id) FROM events')}`,
      )
    }
    expect(facts[1]).toBe(facts[0])
    expect(facts[0]).toMatch(/^(\d+) \1 1$/)
    expect(Math.abs(Number(await team.sql('SELECT sum(cost_usd) FROM usage_daily')) - cost)).toBeLessThan(1e-9)
    expect(await team.sql('SELECT count(*) FROM devices')).toBe('2')
  })

  test('and their account, which each laptop hashes with its own key, has one row for each limit', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    // The last account is another one, of the second laptop.
    const seen = [
      { laptop: 0, account: 'aaaaaaaa', used: 0.2, hoursAgo: 1.5, resets: 3 },
      { laptop: 1, account: 'bbbbbbbb', used: 0.4, hoursAgo: 1, resets: 3 },
      { laptop: 1, account: 'cccccccc', used: 0.9, hoursAgo: 1, resets: 2 },
    ]
    const first = await joinByHand(team.url, await team.invite('bea'))
    const laptops = [first, await joinByHand(team.url, await team.invite('bea'))]
    const sent = await Promise.all(
      laptops.map((laptop, index) => {
        const events = seen
          .filter((one) => one.laptop === index)
          .map(({ account, used, hoursAgo, resets }) =>
            fullEvent(laptop, {
              kind: 'rate_limit',
              is_prompt: false,
              text: null,
              payload: {},
              ts: at(-hoursAgo),
              session_id: account,
              limits: [
                { window: '5h', account, used, resets_at: at(resets) },
                { window: '7d', account, used: used / 10, resets_at: at(resets * 20) },
              ],
            }),
          )
        return laptop.call('/team/v1/batches', batchOf(laptop, events))
      }),
    )
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    const answer = await first.call('/api/limits.now', {})
    const { windows } = answer.body as {
      windows: { window: string; account?: string; used: number; curve: object[] }[]
    }
    expect(windows.map((one) => [one.account, one.window, one.used, one.curve.length])).toEqual([
      ['aaaaaaaa', '5h', 0.4, 2],
      ['aaaaaaaa', '7d', 0.04, 2],
      ['cccccccc', '5h', 0.9, 1],
      ['cccccccc', '7d', 0.09, 1],
    ])
  })
})
