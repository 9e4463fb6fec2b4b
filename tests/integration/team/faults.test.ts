import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { SCHEMA_VERSION } from '../../../src/main/team/store/connection.ts'
import { ask } from '../../support/app/ask.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startBadNetwork, type BadNetwork } from '../../support/team/bad-network.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { expectSameAsLaptop, untilSent } from '../../support/team/same-as-laptop.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

interface Summary {
  readonly total_cost_usd: number
}

const PEOPLE = ['ann', 'bob', 'cleo']

describe.skipIf(lacksPostgres)('three laptops that send while everything fails', () => {
  const folders = PEOPLE.map((name) => makeTempFolder(`aspy-team-${name}-`))
  const apps: TestApp[] = []
  let team: TeamWorld
  let network: BadNetwork
  let upstream: MessagesUpstream

  beforeAll(async () => {
    team = await startTeam()
    network = await startBadNetwork(team.port)
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
    for (const [at, name] of PEOPLE.entries()) {
      fillWithDemo(folders[at]?.path ?? '', name, isHeavy ? 12 : 2)
      await team.join(folders[at]?.path ?? '', name, name === 'bob' ? network : team)
    }
  })
  afterAll(async () => {
    for (const app of apps) await app.close()
    await network?.[Symbol.asyncDispose]()
    await upstream?.close()
    await team?.[Symbol.asyncDispose]()
    for (const folder of folders) folder.remove()
  })

  async function startAll(): Promise<void> {
    for (const { path } of folders)
      apps.push(await startApp({ upstream: upstream.url, dataDir: path, settings: { 'team.policy': 'full' } }))
  }

  const arrived = async () => Number(await team.sql('SELECT count(*) FROM events'))

  test('every event arrives once, in order, and sums are those of the laptops', async () => {
    await startAll()
    await until('the first events arrive', async () => (await arrived()) > 0, 240_000)
    await team.killServer()
    const live = apps.map(async (app) => (await ask(app.proxy, { prompt: 'said while the server was down' })).text())
    await Promise.all(live)
    await team.startServer()
    await team.postgres.kill()
    await team.postgres.start()
    await team.killServer()
    await team.startServer()
    // A laptop that is shut down in the middle continues where it was.
    await apps[0]?.close()
    const again = { 'team.policy': 'full' }
    apps[0] = await startApp({ upstream: upstream.url, dataDir: folders[0]?.path ?? '', settings: again })
    network.cut()
    await (await ask(apps[1]?.proxy ?? '', { prompt: 'said while the network was cut' })).text()
    await until('the cut shows', async () => {
      const sink = (await apps[1]?.running.health())?.sinks.find(({ name }) => name === 'team')
      return sink?.problem !== null
    })
    network.throttle(300_000)
    network.mend()
    for (const [at, app] of apps.entries()) await untilSent(team, app, PEOPLE[at] ?? '')
    network.throttle(null)
    for (const [at, app] of apps.entries()) await expectSameAsLaptop(team, app, PEOPLE[at] ?? '')
  })

  test('a deleted session is in no table and no dump', async () => {
    const [app] = apps
    const id = await team.sql(`SELECT t.session_id FROM texts t JOIN members m ON m.id = t.member_id
      WHERE m.name = 'ann' AND t.kind = 'user_prompt' ORDER BY length(t.content) DESC LIMIT 1`)
    const marker = 'a-marker-that-occurs-nowhere-else'
    await (await ask(app?.proxy ?? '', { prompt: marker, session: 'soon-gone' })).text()
    await until('it arrived', async () => (await team.postgres.program('pg_dump', [team.database])).includes(marker))
    const before = await team.sql('SELECT sum(cost_usd) FROM usage_daily')
    await app?.call('sessions.delete', { session_id: 'soon-gone' })
    await app?.call('sessions.delete', { session_id: id })
    await until('both are gone', async () => {
      const dump = await team.postgres.program('pg_dump', [team.database])
      return !dump.includes(marker) && !dump.includes(id)
    })
    expect(await team.sql(`SELECT count(*) FROM get_recent_events('soon-gone')`)).toBe('0')
    expect(await team.sql(`SELECT count(*) FROM texts WHERE words @@ plainto_tsquery('english', '${marker}')`)).toBe(
      '0',
    )
    const { total_cost_usd } = (await app?.call<Summary>('stats.summary')) ?? { total_cost_usd: 0 }
    const ann = "member_id = (SELECT id FROM members WHERE name = 'ann')"
    expect(Number(await team.sql(`SELECT sum(cost_usd) FROM usage_daily WHERE ${ann}`))).toBeCloseTo(total_cost_usd, 9)
    expect(Number(before)).toBeGreaterThan(Number(await team.sql('SELECT sum(cost_usd) FROM usage_daily')))
    expect(
      await team.sql(
        'SELECT count(*) FROM contents c WHERE NOT EXISTS (SELECT 1 FROM event_contents e WHERE e.hash = c.hash)',
      ),
    ).toBe('0')
  })

  test('a backup by PostgreSQL itself is restored whole', async () => {
    const file = join(folders[0]?.path ?? '', 'team.dump')
    await team.postgres.program('pg_dump', ['-Fc', '-f', file, team.database])
    const restored = await team.postgres.createDatabase('restored')
    await team.postgres.program('pg_restore', ['-d', restored, file])
    const facts = `SELECT (SELECT count(*) FROM events), (SELECT sum(cost_usd) FROM usage_daily), (SELECT count(*) FROM texts),
      (SELECT count(*) FROM pg_policies), (SELECT count(*) FROM get_recent_events((SELECT min(session_id) FROM sessions)))`
    expect(await team.postgres.psql('restored', facts)).toBe(await team.sql(facts))
    const { stdout } = await aspyHere(['team', 'upgrade', '--database', restored, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ from: SCHEMA_VERSION, to: SCHEMA_VERSION, partitions: 0 })
  })

  test('a laptop whose database is replaced by an older copy sends what it records from then on', async () => {
    const [app] = apps
    const path = folders[0]?.path ?? ''
    const backup = join(path, 'before.backup')
    await app?.run('store.backup', { path: backup })
    await (await ask(app?.proxy ?? '', { prompt: 'recorded after the backup', session: 'lost' })).text()
    await until(
      'it arrived',
      async () => (await team.sql("SELECT count(*) FROM texts WHERE session_id = 'lost'")) !== '0',
    )
    await app?.close()
    expect((await aspyHere(['restore', backup, '--data', path])).stderr).toBe('')
    const again = await startApp({ upstream: upstream.url, dataDir: path, settings: { 'team.policy': 'full' } })
    apps[0] = again
    await again.recorderRuns()
    await (await ask(again.proxy, { prompt: 'recorded after the restore', session: 'new' })).text()
    await until(
      'that arrived, too',
      async () => (await team.sql("SELECT count(*) FROM texts WHERE session_id = 'new'")) !== '0',
    )
    const ann = "member_id = (SELECT id FROM members WHERE name = 'ann')"
    await until('nothing is missing', async () => {
      const rows = await team.sql(`SELECT count(*) FROM events WHERE ${ann} AND session_id <> 'lost'`)
      return Number(rows) === (await again.count())
    })
  })
})
