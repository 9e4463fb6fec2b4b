import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

describe.skipIf(lacksPostgres)('a team that a member plays tricks on', () => {
  let team: TeamWorld
  let bob: TeamDevice
  beforeAll(async () => {
    team = await startTeam()
    bob = await joinByHand(team.url, await team.invite('bob'))
    const text = 'the pelican queue'
    await bob.call('/team/v1/batches', batchOf(bob, [fullEvent(bob, { session_id: 'bob', text, payload: { text } })]))
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  test.each([
    ['-'.repeat(1000)],
    ['-'.repeat(2000)],
    ['pelican-'.repeat(240)],
    ['- '.repeat(500)],
    ['-a'.repeat(500)],
    ['--a '.repeat(250)],
    ['a-'.repeat(500)],
    [`a${'-'.repeat(998)}b`],
    [`pelican ${'-'.repeat(990)}`],
    [`"${'-'.repeat(998)}"`],
    ['- '.repeat(3000)],
    ['a - b'.repeat(1000)],
  ])('answers %s', async (query) => {
    const { status, body } = await bob.call(`/api/lifestats/recover?query=${encodeURIComponent(query)}`)
    expect([status, body]).toEqual([200, expect.objectContaining({ items: expect.any(Array) })])
  })

  test('shows an admin no title but that of the session that was opened, whoever claims its id', async () => {
    const eve = await joinByHand(team.url, await team.invite('eve'))
    const admin = await joinByHand(team.url, await team.invite('ada', 'admin'))
    const claimed = fullEvent(eve, { session_id: 'bob', session_key: eve.ids.id('session', 'another') })
    const batch = batchOf(eve, [claimed])
    const titled = (batch['sessions'] as object[]).map((session) => ({ ...session, title: 'of eve' }))
    expect((await eve.call('/team/v1/batches', { ...batch, sessions: titled })).status).toBe(200)
    const { body } = await admin.call('/api/lifestats/sessions?limit=50')
    const { items } = body as { items: { id: string; user_id: string; title: string }[] }
    expect(items.map(({ user_id, title }) => `${user_id}: ${title}`).toSorted()).toEqual([
      'bob: title of bob',
      'eve: of eve',
    ])
    for (const { id, user_id, title } of items)
      expect((await admin.call(`/api/sessions/${id}`)).body).toMatchObject({ id, user_id, title })
  })
})
