import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { expectSameAsLaptop, untilSent } from '../../support/team/same-as-laptop.ts'
import { makeSmallDisk, type SmallDisk } from '../../support/team/small-disk.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

describe.skipIf(lacksPostgres)('a disk at the database that fills up', () => {
  const folder = makeTempFolder('aspy-team-disk-')
  let disk: SmallDisk
  let team: TeamWorld
  let upstream: MessagesUpstream
  let app: TestApp

  beforeAll(async () => {
    disk = makeSmallDisk('team')
    team = await startTeam((postgres) => disk.hold(postgres))
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
    fillWithDemo(folder.path, 'disk', 12)
    await team.join(folder.path, 'ann')
    await disk.fill(3_000_000)
    app = await startApp({ upstream: upstream.url, dataDir: folder.path, settings: { 'team.policy': 'full' } })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    await team?.[Symbol.asyncDispose]()
    await disk?.[Symbol.asyncDispose]()
    folder.remove()
  })

  const health = async () => (await app.running.health()).sinks.find(({ name }) => name === 'team')

  test('both sides say so, capture goes on, and nothing is half-written', async () => {
    await until('the laptop names the cause', async () => /disk .* is full/.test((await health())?.problem ?? ''))
    expect((await health())?.problem).toBe(
      "the disk of the team's database is full; free space there. Nothing was lost",
    )
    const status = await aspyHere(['team', 'status', '--data', folder.path])
    expect(status.stdout + status.stderr).toMatch(/disk of the team's database is full/)
    await (await ask(app.proxy, { prompt: 'said while the disk was full', session: 'meanwhile' })).text()
    await until('it is recorded', async () => {
      const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', { limit: 50 })
      return items.some(({ id }) => id === 'meanwhile')
    })
    expect(await team.sql(`SELECT coalesce(sum(events), 0) - (SELECT count(*) FROM events) FROM sessions`)).toBe('0')
    expect(
      await team.sql(`SELECT count(*) FROM event_keys k WHERE NOT EXISTS (SELECT FROM events e WHERE e.uuid = k.uuid)`),
    ).toBe('0')
    expect(Number(await team.sql('SELECT count(*) FROM events'))).toBeLessThan(await app.count())
    // Reads need no space.
    expect(await app.call('team.read', { operation: 'sessions.list', input: {} })).toMatchObject({ next: null })
  })

  test('once there is space, it goes on by itself', async () => {
    await disk.free()
    await untilSent(team, app, 'ann')
    await expectSameAsLaptop(team, app, 'ann')
    expect(await team.sql("SELECT count(*) FROM sessions WHERE session_id = 'meanwhile'")).toBe('1')
  })
})
