import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Solarized.' }] }))
})
afterAll(() => upstream.close())

const record = async (app: TestApp, sessions: readonly string[]): Promise<void> => {
  for (const session of sessions) await (await ask(app.proxy, { prompt: `question of ${session}`, session })).text()
  await until('all is recorded', async () => (await app.count({ kind: 'model_response' })) === sessions.length)
}

const promptOf = async (app: TestApp, session: string): Promise<string> => {
  const { items } = await app.call<{ items: { uuid: string }[] }>('events.list', {
    session_id: session,
    kind: 'user_prompt',
  })
  return String(items[0]?.uuid)
}

const made = async (app: TestApp) => (await app.call<{ items: { made: string }[] }>('people.export')).items
const takeIn = async (app: TestApp, path: string) => (await app.run('store.import', { path })).at(-1)

/** Makes one of everything, and deletes a session. */
async function makeThings(app: TestApp): Promise<void> {
  const label = { starred: true, pinned: true, title: 'The theme', add_tags: ['colors', 'later'] }
  await app.call('sessions.label', { session_id: 'a', ...label })
  await app.call('sessions.label', { session_id: 'b', title: 'Another' })
  const uuid = await promptOf(app, 'a')
  await app.call('memories.add', {
    uuid,
    fact: 'Dark themes',
    category: 'preference',
    note: 'ask first',
    confidence: 0.5,
  })
  await app.call('memories.add', { uuid: await promptOf(app, 'b'), confirms: uuid })
  await app.call('searches.save', { name: 'themes', address: '?q=theme' })
  await app.call('sessions.delete', { session_id: 'gone' })
}

test('aspy export --all carries all that people made, and an import restores it; a deleted session stays deleted', async () => {
  using folder = makeTempFolder()
  const file = join(folder.path, 'all.jsonl')
  const from = join(folder.path, 'from')
  const origin = await startApp({ upstream: upstream.url, dataDir: from })
  let all: { made: string }[] = []
  let labels: unknown
  let memories: unknown
  try {
    await record(origin, ['a', 'b', 'gone'])
    await makeThings(origin)
    all = await made(origin)
    labels = await origin.call('sessions.tags')
    memories = await origin.call('memories.list')
    expect(all.map((item) => item.made)).toEqual(['deletion', 'label', 'label', 'memory', 'search'])
  } finally {
    await origin.close()
  }
  expect(await aspyHere(['export', '--all', '--out', file, '--data', from])).toMatchObject({ code: 0 })

  const copy = await startApp({ upstream: upstream.url, dataDir: join(folder.path, 'to') })
  try {
    expect(await takeIn(copy, file)).toMatchObject({ made: 5, made_left_out: 0, lines_bad: 0, done: true })
    expect(await made(copy)).toEqual(all)
    expect(await copy.call('sessions.tags')).toEqual(labels)
    expect(await copy.call('memories.list')).toEqual(memories)
    expect(await copy.call('sessions.get', { session_id: 'a' })).toMatchObject({ title: 'The theme', pinned: true })
    await (await ask(copy.proxy, { prompt: 'once more', session: 'gone' })).text()
    expect(await takeIn(copy, file)).toMatchObject({ events_added: 0, made: 5, made_left_out: 0 })
    expect(await made(copy)).toEqual(all)
    expect(await copy.call('events.count', { session_id: 'gone' })).toEqual({ count: 0 })
  } finally {
    await copy.close()
  }
  const printed = await aspyHere(['import', file, '--data', join(folder.path, 'third')])
  expect(printed.stdout).toContain('5 changes of people (labels, memories, searches, deletions)')
})

test('an import keeps what is newer here, and says what it leaves out', async () => {
  using folder = makeTempFolder()
  const file = join(folder.path, 'made.jsonl')
  const app = await startApp({ upstream: upstream.url, dataDir: join(folder.path, 'data') })
  const label = { made: 'label', starred: false, pinned: true, title: 'From there', tags: ['x'] }
  const write = (...records: object[]) => {
    writeFileSync(file, '{"aspy_export":1}\n')
    for (const one of records) appendFileSync(file, `${JSON.stringify(one)}\n`)
  }
  try {
    await record(app, ['a', 'b'])
    await app.call('sessions.label', { session_id: 'a', title: 'From here' })
    await app.call('searches.save', { name: 'themes', address: '?q=here' })
    write(
      { made: 'deletion', session_id: 'a', deleted_at: '2026-01-01T00:00:00.000Z' },
      { ...label, session_id: 'a', updated_at: '2020-01-01T00:00:00.000Z' },
      { ...label, session_id: 'b', updated_at: '2020-01-01T00:00:00.000Z' },
      { ...label, session_id: 'unknown', updated_at: '2020-01-01T00:00:00.000Z' },
      { made: 'search', name: 'themes', address: '?q=there', created_at: '2020-01-01T00:00:00.000Z' },
      { made: 'wish', name: 'no such thing' },
    )
    expect(await takeIn(app, file)).toMatchObject({ made: 5, made_left_out: 2, lines_bad: 1 })
    expect(await app.call('sessions.get', { session_id: 'a' })).toMatchObject({ title: 'From here', pinned: false })
    expect(await app.call('sessions.get', { session_id: 'b' })).toMatchObject({ title: 'From there', pinned: true })
    expect(await app.call('searches.list')).toMatchObject({ items: [{ address: '?q=here' }] })

    write({ ...label, session_id: 'a', updated_at: '2999-01-01T00:00:00.000Z' })
    await takeIn(app, file)
    expect(await app.call('sessions.get', { session_id: 'a' })).toMatchObject({ title: 'From there', pinned: true })
  } finally {
    await app.close()
  }
})

test('a memory finds its event under another uuid by its keys', async () => {
  using folder = makeTempFolder()
  const app = await startApp({ upstream: upstream.url, dataDir: join(folder.path, 'data') })
  try {
    await record(app, ['a'])
    const uuid = await promptOf(app, 'a')
    await app.call('memories.add', { uuid, fact: 'Dark themes' })
    const [memory] = await made(app)
    await app.call('memories.remove', { uuid })
    const file = join(folder.path, 'made.jsonl')
    const there = { ...memory, event_uuid: '00000000-0000-4000-8000-000000000000' }
    writeFileSync(
      file,
      `{"aspy_export":1}\n${JSON.stringify(there)}\n${JSON.stringify({ ...there, keys: ['none'] })}\n`,
    )
    expect(await takeIn(app, file)).toMatchObject({ made: 2, made_left_out: 1 })
    expect(await app.call('memories.list')).toMatchObject({ items: [{ uuid, fact: 'Dark themes' }] })
  } finally {
    await app.close()
  }
})

test('a reported budget is not reported again after an import, and a deletion that can be undone hides what was made', async () => {
  using folder = makeTempFolder()
  const file = join(folder.path, 'made.jsonl')
  const app = await startApp({ upstream: upstream.url, dataDir: join(folder.path, 'data') })
  const notice = { budget_hash: 'f'.repeat(64), since: '2026-11-01T00:00:00.000Z', mark: 80 }
  try {
    await record(app, ['a'])
    await app.call('sessions.label', { session_id: 'a', starred: true })
    const line = JSON.stringify({ made: 'budget_notice', ...notice, told_at: '2026-11-02T00:00:00.000Z' })
    writeFileSync(file, `{"aspy_export":1}\n${line}\n`)
    await takeIn(app, file)
    expect((await made(app)).map((item) => item.made)).toEqual(['label', 'budget_notice'])
    await app.call('sessions.delete_soon', { session_id: 'a' })
    expect((await made(app)).map((item) => item.made)).toEqual(['budget_notice'])
  } finally {
    await app.close()
  }
})

test('--all exports everything: it refuses a session and other formats', async () => {
  for (const flags of [
    ['--session', 'a'],
    ['--format', 'markdown', '--session', 'a'],
    ['--format', 'html'],
    ['--parquet', 'out'],
  ])
    expect(await aspyHere(['export', '--all', ...flags])).toMatchObject({
      stderr: expect.stringContaining('--all') as string,
    })
})
