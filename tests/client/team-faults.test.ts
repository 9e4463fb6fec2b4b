import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { isHeavy } from '../support/runner/heavy.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { startBadNetwork, type BadNetwork } from '../support/team/bad-network.ts'
import { fillWithDemo } from '../support/team/demo-folder.ts'
import { lacksPostgres } from '../support/team/postgres-server.ts'
import { expectSameAsLaptop, ofMember, untilSent } from '../support/team/same-as-laptop.ts'
import { startTeam, type TeamWorld } from '../support/team/team-world.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const PEOPLE = ['ann', 'bob', 'cleo'] as const

interface Laptop {
  readonly name: (typeof PEOPLE)[number]
  readonly network: BadNetwork
  readonly app: TestApp
  readonly home: string
}

test('the network between breaks what is open, refuses what is new, and passes again', async () => {
  const server = createServer((_, response) => response.end('through')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using network = await startBadNetwork((server.address() as AddressInfo).port)
  const asked = () => fetch(network.url).then((answer) => answer.text())
  expect(await asked()).toBe('through')
  network.cut()
  await expect(asked()).rejects.toThrow('fetch failed')
  expect(network.broken).toBeGreaterThan(0)
  network.mend()
  expect(await asked()).toBe('through')
  server.close()
})

// Machines without the client, in `integration/team/faults.test.ts`, show the same in every run.
describe.skipIf(lacksPostgres || lacks(findClaude() !== null)).each(isHeavy ? ['with the real client'] : [])(
  'three machines %s, while everything fails',
  () => {
    const folders = PEOPLE.map((name) => makeTempFolder(`aspy-team-${name}-`))
    const homes = PEOPLE.map((name) => makeTempFolder(`aspy-home-${name}-`))
    const laptops: Laptop[] = []
    let team: TeamWorld
    let upstream: MessagesUpstream

    beforeAll(async () => {
      team = await startTeam()
      upstream = await startMessagesUpstream(({ body }) => ({
        steps: JSON.stringify(body?.messages.at(-1)).includes('tool_result')
          ? [{ text: `An answer to: ${lastUserText(body).slice(0, 40)}` }]
          : [{ thinking: 'Which way?' }, { tool: 'Bash', input: { command: 'echo told' } }],
      }))
      for (const [at, name] of PEOPLE.entries()) {
        const dataDir = folders[at]?.path ?? ''
        const network = await startBadNetwork(team.port)
        fillWithDemo(dataDir, `client ${name}`, 8)
        await team.join(dataDir, name, network)
        const app = await startApp({ upstream: upstream.url, dataDir, settings: { 'team.policy': 'full' } })
        laptops.push({ name, network, app, home: homes[at]?.path ?? '' })
      }
    })
    afterAll(async () => {
      for (const { app, network } of laptops) {
        await app.close()
        await network[Symbol.asyncDispose]()
      }
      await upstream?.close()
      await team?.[Symbol.asyncDispose]()
      for (const folder of [...folders, ...homes]) folder.remove()
    })

    test('every event arrives once and in order, and sums are those of the laptops', async () => {
      const [ann, bob, cleo] = laptops as [Laptop, Laptop, Laptop]
      const arrived = async () => Number(await team.sql('SELECT count(*) FROM events'))
      bob.network.throttle(20_000)
      await until('the first events arrive', async () => (await arrived()) > 0, 240_000)
      const said = async ({ app, home, name }: Laptop, prompt: string) => {
        const run = await runClaude({ baseUrl: app.proxy, home, prompt: `${prompt} (${name})` })
        expect(run.exitCode).toBe(0)
        return run.result?.session_id ?? ''
      }
      const all = (prompt: string) => Promise.all(laptops.map((laptop) => said(laptop, prompt)))
      const faults = async () => {
        await until('bob is in the middle of sending', async () => bob.network.open > 0)
        bob.network.cut()
        await team.killServer()
        ann.network.cut()
        await team.startServer()
        await team.postgres.kill()
        cleo.network.throttle(20_000)
        await team.postgres.start()
        ann.network.mend()
        bob.network.throttle(500_000)
        bob.network.mend()
        await team.killServer()
        await team.startServer()
        cleo.network.throttle(500_000)
      }
      const [first] = await Promise.all([all('Say it while everything fails'), faults()])
      const second = await all('Say it again')
      bob.network.throttle(null)
      cleo.network.throttle(null)
      for (const { app, name } of laptops) await untilSent(team, app, name)
      for (const { app, name } of laptops) await expectSameAsLaptop(team, app, name)
      for (const [at, { name }] of laptops.entries())
        for (const session of [first[at], second[at]])
          expect(
            await team.sql(
              `SELECT count(*) FROM texts WHERE ${ofMember(name)} AND session_id = '${session}' AND kind = 'user_prompt'`,
            ),
          ).not.toBe('0')
      expect(bob.network.broken).toBeGreaterThan(0)
    })
  },
)
