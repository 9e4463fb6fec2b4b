import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { few, heavily, isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { must, startTeam, type TeamWorld } from '../../support/team/team-world.ts'

interface Preview {
  readonly projects: readonly { readonly project: string | null; readonly sessions: number; readonly shared: boolean }[]
  readonly still_shared: readonly { readonly project: string | null; readonly sessions: number }[] | null
  readonly still_shared_unknown: string | null
}

describe.skipIf(lacksPostgres)('shared = false in the config file', () => {
  const folder = makeTempFolder('aspy-team-unshare-')
  let team: TeamWorld
  let app: TestApp | null = null
  let bob: TeamDevice

  beforeAll(async () => {
    team = await startTeam()
    bob = await joinByHand(team.url, await team.invite('bob'))
    fillWithDemo(folder.path, 'unshare', 4)
    await team.join(folder.path, 'ann')
  })
  afterAll(async () => {
    await app?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  const file = join(folder.path, 'config.toml')
  /** Writes the file as an editor does. The first project may be without its rule, or have one. */
  const write = (projects: string, exclude: readonly string[] = []): void =>
    writeFileSync(
      file,
      `[team]\nurl = "${team.url}"\npolicy = "full"\nprojects = [${projects}]\nexclude = ${JSON.stringify(exclude)}\n`,
    )
  const preview = async (): Promise<Preview> =>
    JSON.parse(await must(['team', 'preview', '--json', '--data', folder.path])) as Preview
  const sharedOf = async (): Promise<number> => {
    const answer = JSON.parse(await must(['team', 'status', '--json', '--data', folder.path])) as object
    return Number(Reflect.get(answer, 'shared_sessions'))
  }
  const run = async (): Promise<TestApp> =>
    (app ??= await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path }))
  const stop = async (): Promise<void> => {
    await app?.close()
    app = null
  }
  /** Ann's data as Bob reads it: sessions, and rows of each table from which answers come. */
  async function readByBob(): Promise<{ sessions: number; rows: number }> {
    const { body } = await bob.call('/api/lifestats/sessions?limit=50')
    const rows = await team.sql(
      ['events', 'texts', 'event_contents', 'usage_daily', 'cache_daily']
        .map((table) => `(SELECT count(*) FROM ${table} WHERE shared)`)
        .join(' + ')
        .replace(/^/, 'SELECT '),
    )
    return { sessions: (body as { items: unknown[] }).items.length, rows: Number(rows) }
  }
  const nothing = { sessions: 0, rows: 0 }
  const isRead = async (count: number) => (await readByBob()).sessions === count
  /** Shares the project with the most sessions, and waits until Bob reads it. */
  async function share(): Promise<{ project: string; sessions: number }> {
    const { projects } = await preview()
    const { project, sessions } = projects.find((one) => one.project !== null) ?? { project: null, sessions: 0 }
    if (project === null) throw new Error('the history has no project')
    write(`{ project = "${project}", policy = "full", shared = true }`)
    await run()
    await until('Bob reads the project', () => isRead(sessions))
    return { project, sessions }
  }

  test('withdraws within seconds while the app runs, also if the rule is removed', async () => {
    write('')
    for (const after of few(['{ project = "PROJECT", policy = "full", shared = false }', ''], 1)) {
      const { project, sessions } = await share()
      const keys = (await team.sql("SELECT string_agg(session_key::text, ',') FROM sessions WHERE shared")).split(',')
      expect(await bob.call('/team/v1/unshare', { sessions: keys })).toEqual({ status: 200, body: { events: 0 } })
      expect((await bob.call('/team/v1/shared')).body).toEqual({ shared: [] })
      expect(await isRead(sessions)).toBe(true)
      write(after.replace('PROJECT', project))
      await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
      expect(await readByBob()).toEqual(nothing)
    }
  })

  heavily(test)('withdraws a session that is left out, and no other', async () => {
    const { project, sessions } = await share()
    const { body } = await bob.call('/api/lifestats/sessions?limit=50')
    const id = (body as { items: { id: string }[] }).items[0]?.id ?? ''
    write(`{ project = "${project}", policy = "full", shared = true }`, [id])
    await until('Bob reads one session less', () => isRead(sessions - 1))
    expect((await preview()).still_shared).toEqual([])
    write('')
    await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
  })

  test('until the app runs, the preview says what others still read', async () => {
    const { project, sessions } = await share()
    await stop()
    expect((await preview()).still_shared).toEqual([])
    write(`{ project = "${project}", policy = "off", shared = false }`)
    expect((await preview()).still_shared).toEqual([{ project, sessions }])
    const { stdout } = await aspyHere(['team', 'preview', '--data', folder.path])
    expect(stdout).toContain(`Other members still read ${sessions} sessions`)
    expect(stdout).toContain(`team exclude --data ${folder.path} ID`)
    expect((await readByBob()).sessions).toBe(sessions)
    await run()
    await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
    expect((await preview()).still_shared).toEqual([])
    await stop()
  })

  test('a command ends the access at once, app running or not', async () => {
    const ways = [true, false].flatMap((runs) =>
      (['unshare', 'metadata'] as const).map((command) => ({ runs, command })),
    )
    for (const { runs, command } of ways.filter((way) => isHeavy || way.runs === (way.command === 'metadata'))) {
      const { project, sessions } = await share()
      const args = command === 'unshare' ? ['unshare', project] : ['policy', 'metadata', '--project', project]
      expect(await sharedOf()).toBe(sessions)
      const texts = () => team.sql("SELECT count(*) FROM texts t WHERE t.content <> '' AND t.shared")
      await until('their texts are there', async () => Number(await texts()) > 0)
      if (!runs) await stop()
      await must(['team', ...args, '--data', folder.path])
      expect(Number(await texts())).toBe(0)
      expect((await preview()).still_shared).toEqual([])
      // What was sent before comes again without its texts, once an app runs.
      const hasMetadata = async () =>
        Number(await team.sql("SELECT count(*) FROM sessions WHERE level = 'metadata'")) > 0
      if (runs && command === 'metadata') await until('metadata is there', hasMetadata)
      expect(Number(await texts())).toBe(0)
      // The command line and the other member say the same at this moment.
      expect(await sharedOf()).toBe((await readByBob()).sessions)
    }
    await stop()
  })

  heavily(test)('of two rules the first counts, whoever is asked', async () => {
    const { project, sessions } = await share()
    const rule = (policy: string, shared: boolean, name = project) =>
      `{ project = "${name}", policy = "${policy}", shared = ${shared} }`
    for (const [first, second, count] of [
      [rule('full', false), rule('full', true), 0],
      [rule('full', true), rule('full', false), sessions],
      [rule('off', true), rule('full', true), 0],
    ] as const) {
      write(`${first}, ${second}`)
      await until(`Bob reads ${count} of ${first}`, () => isRead(count))
      const { projects, still_shared } = await preview()
      expect(projects.find((one) => one.project === project)?.shared, first).toBe(count > 0)
      expect([still_shared, await sharedOf()], first).toEqual([[], (await readByBob()).sessions])
    }
    // Below a pattern that shares, the command for one project counts, and no other project is withdrawn.
    write(`${rule('full', true, '/**')}, ${rule('off', false)}`)
    await until('Bob reads all', async () => (await readByBob()).sessions > sessions)
    const all = (await readByBob()).sessions
    await must(['team', 'unshare', project, '--data', folder.path])
    expect((await readByBob()).sessions).toBe(all - sessions)
    expect(await sharedOf()).toBe(all - sessions)
    expect((await preview()).still_shared).toEqual([])
    write('')
    await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
    await stop()
  })

  test('a server that cannot be asked is named, and the rest is shown', async () => {
    await team.killServer()
    const { projects, still_shared, still_shared_unknown } = await preview()
    expect(projects.length).toBeGreaterThan(0)
    expect(still_shared).toBe(null)
    expect(still_shared_unknown).toMatch(/does not answer/)
    await team.startServer()
  })

  heavily(test)('a file that cannot be read changes nothing, and is followed again once it can', async () => {
    const { project, sessions } = await share()
    writeFileSync(file, '[team]\npolicy = "loud"\n')
    expect((await aspyHere(['team', 'preview', '--data', folder.path])).stderr).toMatch(/team\.policy/)
    rmSync(file)
    expect(await isRead(sessions)).toBe(true)
    write(`{ project = "${project}", policy = "full" }`)
    await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
  })

  const joinAs = async (name: string) => {
    const args = ['team', 'join', team.url, await team.invite(name), '--data', folder.path]
    const answer = JSON.parse(await must([...args, '--json'])) as { device_id: string; replaced: object }
    return answer
  }
  const active = () => team.sql('SELECT count(*) FROM devices WHERE revoked_at IS NULL')

  heavily(test)(
    'who joins again as the same member goes on sharing and sending, and the device of before is revoked',
    async () => {
      const { sessions } = await share()
      const devices = await active()
      const { device_id, replaced } = await joinAs('ann')
      expect(replaced).toMatchObject({ member: 'ann', unshared: 0, unshared_problem: null })
      expect(await isRead(sessions)).toBe(true)
      expect(await active()).toBe(devices)
      await until('the app sends as the new device', async () => {
        const sink = (await (await run()).running.health()).sinks.find(({ name }) => name === 'team')
        const positions = await team.sql(`SELECT count(*) FROM device_positions WHERE device_id = '${device_id}'`)
        return positions === '1' && sink?.problem === null && sink.waiting === 0
      })
      expect(await isRead(sessions)).toBe(true)
    },
  )

  test('who joins as another member no longer shares what was sent before, app running or not', async () => {
    for (const [runs, name] of [
      [false, 'max'],
      [true, 'eve'],
    ] as const) {
      const { sessions } = await share()
      await stop()
      const before = JSON.parse(await must(['team', 'status', '--json', '--data', folder.path])) as { member: string }
      if (runs) await run()
      const { replaced } = await joinAs(name)
      expect(replaced).toMatchObject({ member: before.member, unshared: sessions, unshared_problem: null })
      const held = `FROM sessions s JOIN members m ON m.id = s.member_id WHERE m.name = '${before.member}'`
      expect(await team.sql(`SELECT count(*) ${held} AND s.shared`)).toBe('0')
      expect(Number(await team.sql(`SELECT count(*) ${held}`))).toBeGreaterThan(0)
      write('')
      await until('Bob reads nothing', async () => (await readByBob()).rows === 0)
      expect(await team.sql(`SELECT count(*) ${held} AND s.shared`)).toBe('0')
    }
  })

  test('a server of before that does not answer is named', async () => {
    await stop()
    const path = join(folder.path, 'team.json')
    const held = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...held, url: 'http://127.0.0.1:9', target_id: 'another' }), { mode: 0o600 })
    const args = ['team', 'join', team.url, await team.invite('zoe'), '--data', folder.path]
    const { code, stderr } = await aspyHere(args)
    expect(code).toBe(0)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('Other members there may still read what it shared')
  })
})
