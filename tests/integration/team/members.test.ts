import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyedIds } from '../../../src/main/team/protocol/keyed-ids.ts'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { must, startTeam, type TeamWorld } from '../../support/team/team-world.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

interface Json {
  readonly [name: string]: unknown
}

describe.skipIf(lacksPostgres)('a member', () => {
  const folder = makeTempFolder('aspy-team-member-')
  let team: TeamWorld
  let upstream: MessagesUpstream
  let app: TestApp | null = null

  beforeAll(async () => {
    team = await startTeam()
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer about walruses' }] }))
    fillWithDemo(folder.path, 'members', 4)
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  const cli = async (...args: readonly string[]) => must([...args, '--data', folder.path])
  const json = async (...args: readonly string[]) => JSON.parse(await cli(...args, '--json')) as Json
  const dump = () => team.postgres.program('pg_dump', ['--data-only', '--inserts', team.database])
  async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
    await app?.close()
    app = await startApp({ upstream: upstream.url, dataDir: folder.path, settings })
    return app
  }
  /** Waits until the server has everything that this folder changed. */
  async function sent(running: TestApp): Promise<void> {
    await until('nothing waits', async () => {
      const sink = (await running.running.health()).sinks.find(({ name }) => name === 'team')
      return sink?.problem === null && sink.waiting === 0 && (await json('team', 'status'))['waiting'] === 0
    })
  }

  test('sees what would be sent before anything is sent', async () => {
    const preview = await json('team', 'preview')
    expect(preview).toMatchObject({
      policy: 'metadata',
      projects: expect.arrayContaining([expect.objectContaining({ policy: 'metadata' })]),
    })
    expect(await cli('team', 'preview')).toMatch(/no texts, titles, paths, branches or error messages/)
    expect(await team.sql('SELECT count(*) FROM devices')).toBe('0')
    const before = await aspyHere(['team', 'status', '--data', folder.path])
    expect(before.stderr).toMatch(/joined no team; run \S*aspy team join --data \S+ URL CODE/)
  })

  test('who joins again learns what stays of the device that it was', async () => {
    using other = makeTempFolder('aspy-team-again-')
    const again = async (name: string) =>
      aspyHere(['team', 'join', team.url, await team.invite(name), '--data', other.path])
    expect((await again('mia')).stderr).not.toContain('Before, ')
    const { code, stderr } = await again('max')
    expect(code).toBe(0)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `was a device of mia at ${team.url}. What it sent then stays there`,
    )
    for (const name of ['mia', 'max']) await team.admin('revoke', name)
  })

  test.each([
    ['a variable sets the address', { ASPY_TEAM_URL: 'https://team.example.org' }, ''],
    ['the config file cannot be edited', {}, 'team = { policy = "off" }\n'],
  ])('keeps its code, and who it is, if %s', async (_, env, config) => {
    using other = makeTempFolder('aspy-team-kept-')
    const file = join(other.path, 'config.toml')
    writeFileSync(file, config)
    const words = ['team', 'join', team.url, await team.invite('eve'), '--data', other.path]
    expect(await aspyHere(words, env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/team\.url is set|cannot be changed/),
    })
    expect(existsSync(join(other.path, 'team.json'))).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe(config)
    writeFileSync(file, '')
    expect(await aspyHere(words)).toMatchObject({ code: 0 })
    await team.admin('revoke', 'eve')
  })

  test('leaves a session out before the first push', async () => {
    await cli('team', 'exclude', 'left-out')
    expect(readFileSync(join(folder.path, 'config.toml'), 'utf8')).toContain('exclude = ["left-out"]')
    const running = await start()
    for (const session of ['left-out', 'sent-first'])
      await (await ask(running.proxy, { prompt: `said in ${session}`, session })).text()
    await until('both are recorded', async () => (await running.count({ session_id: 'left-out' })) > 0)
    expect(await cli('team', 'preview')).toContain('Left out: 1 session')
    await app?.close()
    app = null
  })

  test('keeps the token private, and the server keeps only its hash', async () => {
    await team.join(folder.path, 'ann')
    const file = join(folder.path, 'team.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { device_token } = JSON.parse(readFileSync(file, 'utf8')) as { device_token: string }
    expect(await dump()).not.toContain(device_token)
    expect(readFileSync(join(folder.path, 'config.toml'), 'utf8')).toBe(
      `[team]\nurl = "${team.url}"\nexclude = ["left-out"]\n`,
    )
  })

  test('sends a closed list of columns with the policy metadata', async () => {
    const running = await start()
    await sent(running)
    const { items } = await running.call<{
      items: { id: string; project: string; title: string; git_branch: string }[]
    }>('sessions.list', { limit: 50 })
    const prompts = await running.call<{ items: { content: string }[] }>('prompts.search', { limit: 100 })
    const text = await dump()
    const secret = items
      .flatMap((one) => [one.id, one.project, one.title, one.git_branch])
      .concat(prompts.items.map(({ content }) => content.slice(0, 40)))
      // Shorter ones may be part of a hash.
      .filter((word) => word !== null && word.length > 4)
    expect(secret.length).toBeGreaterThan(20)
    expect(secret.filter((word) => text.includes(word))).toEqual([])
    for (const table of ['texts', 'contents', 'event_contents'])
      expect(await team.sql(`SELECT count(*) FROM ${table}`)).toBe('0')
    expect(
      await team.sql(
        "SELECT count(*) FROM events WHERE payload <> '{}' OR error_message IS NOT NULL OR level <> 'metadata'",
      ),
    ).toBe('0')
    const leftOut = await running.call<{ total_cost_usd: number }>('sessions.get', { session_id: 'left-out' })
    const total = await running.call<{ total_cost_usd: number; total_sessions: number }>('stats.summary')
    expect(Number(await team.sql('SELECT sum(cost_usd) FROM usage_daily'))).toBeCloseTo(
      total.total_cost_usd - leftOut.total_cost_usd,
      9,
    )
    expect(Number(await team.sql('SELECT count(*) FROM sessions'))).toBe(total.total_sessions - 1)
    expect(await team.sql("SELECT count(*) FROM sessions WHERE project !~ '^project-[0-9a-f]{8}$'")).toBe('0')
    expect((await json('stats', '--team'))['total_sessions']).toBe(total.total_sessions - 1)
    const keyed = await team.sql('SELECT session_id FROM sessions LIMIT 1')
    const session = await aspyHere(['session', keyed, '--team', '--data', folder.path])
    expect(session.stderr).toMatch(/shares no texts/)
  })

  test('raises the policy: everything comes again in full, and is read with --team', async () => {
    const running = await start({ 'team.policy': 'full' })
    const metadata = "SELECT count(*) FROM events WHERE level <> 'full'"
    await until('all of it came again', async () => (await team.sql(metadata)) === '0')
    await sent(running)
    const leftOut = await running.count({ session_id: 'left-out' })
    expect(Number(await team.sql('SELECT count(*) FROM events'))).toBe((await running.count()) - leftOut)
    const all = await json('sessions', '--limit', '50')
    const own = { items: (all['items'] as Json[]).filter(({ id }) => id !== 'left-out') }
    const teams = await json('sessions', '--team', '--limit', '50')
    const pick = (list: Json) =>
      (list['items'] as Json[]).map((one) => ({
        id: one['id'],
        title: one['title'],
        prompts: one['prompts'],
        tokens: one['total_tokens'],
      }))
    expect(pick(teams)).toEqual(pick(own))
    const first = (own.items as unknown as { id: string }[]).find(({ id }) => id !== 'sent-first')
    const history = (of: Json) =>
      ((of['history'] as Json)['items'] as Json[]).map((one) => [one['role'], one['content']])
    expect(history(await json('session', first?.id ?? '', '--team'))).toEqual(
      history(await json('session', first?.id ?? '')),
    )
    const prompt = await team.sql(
      "SELECT content FROM texts WHERE kind = 'user_prompt' ORDER BY length(content) DESC, uuid LIMIT 1",
    )
    const words = prompt
      .split(/\W+/)
      .filter((word) => word.length > 4)
      .slice(0, 3)
    const found = await json('recall', ...words, '--team')
    expect(
      (found['items'] as Json[]).map((hit) => String(hit['content']).replaceAll(/<\/?mark>/g, '')).join('\n'),
    ).toContain(prompt.slice(0, 30))
    expect((await json('stats', '--team'))['by_user']).toMatchObject([{ user: 'ann' }])
    const call = await team.sql("SELECT uuid FROM events WHERE kind = 'tool_result' LIMIT 1")
    const trace = async (...more: string[]) =>
      ((await json('trace', call, ...more))['items'] as Json[]).map(({ uuid, kind, depth }) => ({ uuid, kind, depth }))
    expect(await trace('--team')).toEqual(await trace())
    expect((await json('tools', '--team', '--limit', '5'))['items']).toHaveLength(5)
    const limits = await aspyHere(['recall', 'x', '--tools', '--team', '--data', folder.path])
    expect(limits.stderr).toMatch(/cannot answer this/)
  })

  test('what is redacted or deleted later follows', async () => {
    const running = await start({ 'team.policy': 'full' })
    await (await ask(running.proxy, { prompt: 'the code word is narwhal-77', session: 'with-secret' })).text()
    await until('it arrived', async () => (await dump()).includes('narwhal-77'))
    await running.close()
    app = null
    const again = await start({
      'team.policy': 'full',
      'redaction.patterns': [{ name: 'animal', pattern: 'narwhal-[0-9]+' }],
    })
    await again.recorderRuns()
    await again.run('redaction.past')
    await until('it is redacted', async () => !(await dump()).includes('narwhal-77'))
    expect(
      await team.sql(
        "SELECT count(*) FROM texts WHERE session_id = 'with-secret' AND content LIKE '%redacted:animal%'",
      ),
    ).toBe('1')
  })

  test('leaves a session out, and withdraws it', async () => {
    const running = await start({ 'team.policy': 'full' })
    await sent(running)
    // By the id that the team's lists show under the policy metadata.
    const { hash_key } = JSON.parse(readFileSync(join(folder.path, 'team.json'), 'utf8')) as { hash_key: string }
    const keyed = createKeyedIds(Buffer.from(hash_key, 'base64')).id('session', 'with-secret')
    await cli('team', 'exclude', keyed, '--withdraw')
    await until(
      'it is gone',
      async () => (await team.sql("SELECT count(*) FROM events WHERE session_id = 'with-secret'")) === '0',
    )
    await sent(running)
    await (await ask(running.proxy, { prompt: 'more of it', session: 'with-secret' })).text()
    await (await ask(running.proxy, { prompt: 'something else', session: 'another' })).text()
    await until(
      'the other one arrived',
      async () => (await team.sql("SELECT count(*) FROM texts WHERE session_id = 'another'")) !== '0',
    )
    expect(await team.sql("SELECT count(*) FROM events WHERE session_id = 'with-secret'")).toBe('0')
  })

  test('lowers the policy of a project with one command, which asks whether to withdraw', async () => {
    await app?.close()
    app = null
    await cli('team', 'policy', 'full')
    const running = await start()
    // An attempt of before may have left its rules.
    await running.call('config.set', { key: 'team.projects', value: null })
    await until(
      'nothing is missing',
      async () => (await team.sql("SELECT count(*) FROM sessions WHERE session_id = 'another'")) === '1',
    )
    const { items } = await running.call<{ items: { id: string; project: string }[] }>('sessions.list', { limit: 50 })
    const directory = items.find(({ project }) => project !== null)?.project ?? ''
    const excluded = ['left-out', 'with-secret']
    const ids = items
      .filter(({ id, project }) => project === directory && !excluded.includes(id))
      .map(({ id }) => `'${id}'`)
    const events = async () => Number(await team.sql(`SELECT count(*) FROM events WHERE session_id IN (${ids.join()})`))
    const policy = (...more: string[]) => ['team', 'policy', ...more, '--project', directory]
    expect(await events()).toBeGreaterThan(0)
    expect((await aspyHere([...policy('off'), '--data', folder.path])).stderr).toMatch(
      /--withdraw deletes it, --keep keeps/,
    )
    expect((await aspyHere([...policy('metadata'), '--keep', '--data', folder.path])).stderr).toMatch(/choose off/)
    expect((await aspyHere(['team', 'policy', 'loud', '--data', folder.path])).stderr).toMatch(/choose one of/)
    const before = await events()
    expect(await cli(...policy('off'), '--keep')).toMatch(/stays in the team; \S+ team withdraw --data \S+ deletes it/)
    expect(await cli('team', 'status')).toContain(`Policy     full, off for ${directory}\n`)
    await sent(running)
    expect(await events()).toBe(before)
    expect(await json(...policy('full'))).toMatchObject({ lowered: { off: 0, metadata: 0 }, withdrawn: null })
    const off = await json(...policy('off'), '--withdraw')
    expect(off).toMatchObject({ lowered: { off: ids.length }, withdrawn: before })
    await sent(running)
    expect(await events()).toBe(0)
    const withoutTexts = "SELECT count(*) FROM sessions WHERE level = 'metadata'"
    if (isHeavy) {
      await cli(...policy('metadata'))
      await until('it is back without texts', async () => (await team.sql(withoutTexts)) === String(ids.length))
    }
    await cli(...policy('full'))
    await until('it is back with texts', async () => (await events()) === before)
    const config = readFileSync(join(folder.path, 'config.toml'), 'utf8')
    expect(config.match(/projects = /g)).toHaveLength(1)
    await running.call('config.set', { key: 'team.projects', value: null })
  })

  test('turns a project off, and withdraws the data sent for it', async () => {
    await app?.close()
    app = null
    const project = await team.sql("SELECT project FROM sessions WHERE project <> '' ORDER BY project LIMIT 1")
    const rows = (of: string) => team.sql(`SELECT count(*) FROM events WHERE project ${of} '${project}'`)
    const others = await rows('<>')
    const config = join(folder.path, 'config.toml')
    const rules = `projects = [{ project = "/**/${project}", policy = "off" }]
`
    const withoutRules = readFileSync(config, 'utf8').replaceAll(/^projects = .*\n/gm, '')
    writeFileSync(config, withoutRules.replace('[team]\n', `[team]\n${rules}`))
    expect((await aspyHere(['team', 'withdraw', '--data', folder.path])).stderr).toMatch(/--yes/)
    expect(Number(await rows('='))).toBeGreaterThan(0)
    expect((await json('team', 'withdraw', '--yes'))['events']).toBeGreaterThan(0)
    expect(await rows('=')).toBe('0')
    expect(await rows('<>')).toBe(others)
    const running = await start()
    await (await ask(running.proxy, { prompt: 'still sent', session: 'still' })).text()
    await until(
      'another project still arrives',
      async () => (await team.sql("SELECT count(*) FROM texts WHERE session_id = 'still'")) !== '0',
    )
    expect(await rows('=')).toBe('0')
  })

  test('leaves: nothing is sent any more, and what was sent is withdrawn', async () => {
    const running = await start()
    const refused = await aspyHere(['team', 'leave', '--data', folder.path])
    expect(refused.stderr).toMatch(/--withdraw deletes it, --keep keeps it/)
    const left = await json('team', 'leave', '--withdraw')
    expect(left['withdrawn']).toBeGreaterThan(100)
    for (const table of [
      'events',
      'texts',
      'sessions',
      'usage_daily',
      'cache_daily',
      'contents',
      'event_keys',
      'event_contents',
    ])
      expect(await team.sql(`SELECT count(*) FROM ${table}`), table).toBe('0')
    await (await ask(running.proxy, { prompt: 'after leaving', session: 'after' })).text()
    await until('the sink is off', async () =>
      (await running.running.health()).sinks.every(({ name }) => name !== 'team'),
    )
    expect(await team.sql('SELECT count(*) FROM events')).toBe('0')
    expect((await aspyHere(['sessions', '--team', '--data', folder.path])).stderr).toMatch(/joined no team/)
  })
})
