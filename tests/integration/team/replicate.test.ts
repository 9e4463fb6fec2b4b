import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SESSION_FIGURES } from '../../../src/main/listings/session-figures.ts'
import type { Session } from '../../../src/shared/contract/sessions.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

interface EventAnswer {
  readonly uuid: string
  readonly kind: string
  readonly ts_wall: string
  readonly turn_id: number
  readonly seq: number
}
const FIGURES = Object.keys(SESSION_FIGURES) as (keyof typeof SESSION_FIGURES)[]

/** Two sums of the same amounts may differ in their last bits. */
const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(9)) : value)

describe.skipIf(lacksPostgres)('a laptop with the policy full', () => {
  const folder = makeTempFolder('aspy-team-')
  let team: TeamWorld
  let app: Awaited<ReturnType<typeof startApp>>

  beforeAll(async () => {
    team = await startTeam()
    fillWithDemo(folder.path, 'replicate')
    await team.join(folder.path, 'ann')
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, settings: { 'team.policy': 'full' } })
    const events = await app.count()
    await until('everything has arrived', async () => Number(await team.sql('SELECT count(*) FROM events')) === events)
    await until('nothing waits', async () => {
      const { sinks } = await app.running.health()
      return sinks.find(({ name }) => name === 'team')?.waiting === 0
    })
  })
  afterAll(async () => {
    await app?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  test('sends every event once, in the order of each session', async () => {
    const sessions = await app.call<{ items: Session[] }>('sessions.list', { limit: 100 })
    expect(sessions.items.length).toBe(6)
    for (const { id } of sessions.items) {
      const { items } = await app.call<{ items: EventAnswer[] }>('events.list', { session_id: id, limit: 1000 })
      const rows = await team.sql(`SELECT uuid FROM events WHERE session_id = '${id}' ORDER BY turn_id, seq LIMIT 1000`)
      expect(rows.split('\n')).toEqual(items.map(({ uuid }) => uuid))
    }
    expect(await team.sql('SELECT count(*) - count(DISTINCT uuid) FROM events')).toBe('0')
  })

  test('sums equal those of the laptop', async () => {
    const input = { limit: 100 }
    const { items } = await app.call<{ items: Session[] }>('sessions.list', input)
    const ofTeam = await app.call<{ items: Session[] }>('team.read', { operation: 'sessions.list', input })
    const figuresOf = (sessions: readonly Session[]) =>
      sessions.map((session) => [session.id, session.title, ...FIGURES.map((name) => [name, rounded(session[name])])])
    expect(figuresOf(ofTeam.items)).toEqual(figuresOf(items))
    for (const session of items)
      expect(await app.call('sessions.get', { session_id: session.id })).toMatchObject(session)
    const { total_cost_usd } = await app.call<{ total_cost_usd: number }>('stats.summary')
    expect(Math.abs(Number(await team.sql('SELECT sum(cost_usd) FROM usage_daily')) - total_cost_usd)).toBeLessThan(
      1e-9,
    )
  })

  test('the functions of the lineage design answer as the laptop does', async () => {
    const uuid = await team.sql("SELECT uuid FROM events WHERE kind = 'tool_result' ORDER BY depth DESC, uuid LIMIT 1")
    const chain = await app.call<{ items: EventAnswer[] }>('events.chain', { uuid })
    const rows = await team.sql(`SELECT uuid || ' ' || event_type FROM get_parent_chain('${uuid}')`)
    expect(rows.split('\n')).toEqual(chain.items.toReversed().map((event) => `${event.uuid} ${event.kind}`))
    const session = await team.sql(`SELECT instance_id FROM session_events WHERE uuid = '${uuid}'`)
    const newest = await team.sql(`SELECT "timestamp" FROM get_recent_events('${session}')`)
    expect(newest.split('\n').length).toBe(50)
    expect(newest.split('\n')).toEqual(newest.split('\n').toSorted().toReversed())
    expect((await team.sql(`SELECT uuid FROM get_recent_events('${session}', 3)`)).split('\n').length).toBe(3)
    const { items } = await app.call<{ items: EventAnswer[] }>('sessions.timeline', {
      session_id: session,
      limit: 5000,
    })
    const [first, last] = [items[2], items[7]]
    const timeline = await team.sql(
      `SELECT uuid FROM get_timeline('${session}', '${first?.ts_wall}', '${last?.ts_wall}')`,
    )
    const expected = items.filter(
      ({ ts_wall }) => ts_wall >= (first?.ts_wall ?? '') && ts_wall <= (last?.ts_wall ?? ''),
    )
    expect(timeline.split('\n').toSorted()).toEqual(expected.map((event) => event.uuid).toSorted())
  })
})
