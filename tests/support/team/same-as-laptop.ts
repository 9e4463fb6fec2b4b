import { expect } from 'vitest'
import type { TestApp } from '../app/start-app.ts'
import { until } from '../runner/until.ts'
import type { TeamWorld } from './team-world.ts'

interface Summary {
  readonly total_cost_usd: number
  readonly total_tokens: number
  readonly total_sessions: number
}

/** Waits until a laptop has nothing left to send, and the team has as many events of its member. */
export async function untilSent(team: TeamWorld, app: TestApp, name: string, timeoutMs = 240_000): Promise<void> {
  await until(
    `everything of ${name} arrived`,
    async () => {
      const sink = (await app.running.health()).sinks.find((one) => one.name === 'team')
      if (sink?.waiting !== 0 || sink.problem !== null) return false
      return Number(await team.sql(`SELECT count(*) FROM events WHERE ${ofMember(name)}`)) === (await app.count())
    },
    timeoutMs,
  )
}

/** SQL condition for the rows of a member. */
export const ofMember = (name: string): string => `member_id = (SELECT id FROM members WHERE name = '${name}')`

/** Checks that the team has every event of a laptop once, in the order of each session, and the laptop's sums. */
export async function expectSameAsLaptop(team: TeamWorld, app: TestApp, name: string): Promise<void> {
  const member = ofMember(name)
  const { total_cost_usd, total_tokens, total_sessions } = await app.call<Summary>('stats.summary')
  const cost = Number(await team.sql(`SELECT sum(cost_usd) FROM usage_daily WHERE ${member}`))
  expect(Math.abs(cost - total_cost_usd)).toBeLessThan(1e-9)
  expect(Number(await team.sql(`SELECT sum(total_tokens) FROM sessions WHERE ${member}`))).toBe(total_tokens)
  expect(Number(await team.sql(`SELECT count(*) FROM sessions WHERE ${member}`))).toBe(total_sessions)
  const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', { limit: 500 })
  for (const { id } of items) {
    const events = await app.call<{ items: { uuid: string }[] }>('events.list', { session_id: id, limit: 1000 })
    const rows = await team.sql(
      `SELECT uuid FROM events WHERE ${member} AND session_id = '${id}' ORDER BY turn_id, seq LIMIT 1000`,
    )
    expect(rows.split('\n')).toEqual(events.items.map(({ uuid }) => uuid))
  }
  expect(await team.sql('SELECT count(*) - count(DISTINCT (member_id, uuid)) FROM events')).toBe('0')
}
