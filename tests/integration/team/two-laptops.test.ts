import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { writeTranscripts } from '../../support/store/generated-transcripts.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
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
})
