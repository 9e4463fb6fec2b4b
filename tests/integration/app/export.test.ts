import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [
      { thinking: 'Low contrast tires less.' },
      { text: `Take the solarized theme. ${'It is kind. '.repeat(200)}` },
      { tool: 'Bash', input: { command: 'echo ```' } },
    ],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

interface Page {
  readonly items: readonly { readonly event: { readonly uuid: string; readonly [field: string]: unknown } }[]
  readonly next: string | null
}

async function everything(app: TestApp, input: object = {}): Promise<Page['items'][number][]> {
  const items: Page['items'][number][] = []
  let cursor: string | null = null
  do {
    const page: Page = await app.call<Page>('events.export', { limit: 7, ...input, ...(cursor ? { cursor } : {}) })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return items
}

const takeIn = async (app: TestApp, path: string) => (await app.run('store.import', { path })).at(-1)

test('an imported export is identical except for log positions; repeating adds nothing; deleted sessions stay deleted', async () => {
  using folder = makeTempFolder()
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
  const file = join(folder.path, 'all.jsonl')
  const origin = await startApp({ upstream: upstream.url, dataDir: from })
  let lines: Page['items'][number][] = []
  let [stats, timeline, request]: unknown[] = []
  let requestUuid = ''
  try {
    for (const [at, session] of ['a', 'a', 'b', 'gone'].entries()) {
      await (await ask(origin.proxy, { prompt: `question ${at}`, session })).text()
      await origin.running.dispatch.call(
        'hooks.post',
        {
          session_id: session,
          hook_event_name: 'UserPromptSubmit',
          prompt: `question ${at}`,
          cwd: '/home/user/project',
        },
        { access: 'all' },
      )
    }
    await until('all is recorded', async () => (await origin.count({ kind: 'model_response' })) === 4)
    lines = await everything(origin)
    stats = await origin.call('stats.summary')
    timeline = await origin.call('sessions.history', { session_id: 'a' })
    requestUuid = String(lines.find(({ event }) => event['kind'] === 'model_request')?.event.uuid)
    request = await origin.call('requests.get', { uuid: requestUuid })
    expect((await everything(origin, { session_id: 'b' })).every(({ event }) => event['session_id'] === 'b')).toBe(true)
    await writeExport(from, file)
  } finally {
    await origin.close()
  }

  mkdirSync(to)
  // Another folder has another key: hashes are others there, texts are not.
  const copy = await startApp({ upstream: upstream.url, dataDir: to })
  try {
    expect(await takeIn(copy, file)).toMatchObject({
      events_added: lines.length,
      events_known: 0,
      lines_bad: 0,
      done: true,
    })
    expect((await everything(copy)).map(({ event }) => withoutHashes(event))).toEqual(
      lines.map(({ event }) => withoutHashes(event)),
    )
    expect(await copy.call('stats.summary')).toEqual(stats)
    expect(await copy.call('sessions.history', { session_id: 'a' })).toEqual(timeline)
    expect(await copy.call('requests.get', { uuid: requestUuid })).toEqual(request)
    expect(await takeIn(copy, file)).toMatchObject({ events_added: 0, events_known: lines.length, lines_bad: 0 })

    await copy.call('sessions.delete', { session_id: 'gone' })
    writeFileSync(file, '{"not":"an event"}\nnor JSON\n', { flag: 'a' })
    expect(await takeIn(copy, file)).toMatchObject({ events_added: 0, lines_bad: 2, done: true })
    expect(await copy.call('events.count', { session_id: 'gone' })).toEqual({ count: 0 })
  } finally {
    await copy.close()
  }

  // The command line, over the files alone: a session for people, and one for the client.
  const text = await aspyHere(['export', '--session', 'a', '--format', 'markdown', '--data', from])
  expect(text.stdout).toMatch(
    /## You .*\n\n> question 0\n[\s\S]*> Low contrast tires less\.[\s\S]*\*\*Bash\*\*\n\n````/,
  )
  expect(text.stdout).toContain('/home/user/project')
  const without = ['--without', 'paths,thinking']
  const bare = await aspyHere(['export', '--session', 'a', '--format', 'md', ...without, '--data', from])
  expect(bare).toMatchObject({ code: 0, stdout: expect.stringContaining('> question 0\n') })
  expect(bare.stdout).not.toMatch(/home.user.project|Low contrast/)
  const claude = await aspyHere(['export', '--session', 'a', '--format', 'claude', '--data', from])
  const said = claude.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(said[0]).toMatchObject({ type: 'user', sessionId: 'a', parentUuid: null, message: { content: 'question 0' } })
  for (const [at, line] of said.slice(1).entries()) expect(line['parentUuid']).toBe(said[at]?.['uuid'])
  writeFileSync(join(folder.path, 'claude.jsonl'), claude.stdout)
  const imported = await aspyHere([
    'import',
    join(folder.path, 'claude.jsonl'),
    '--json',
    '--data',
    join(folder.path, 'third'),
  ])
  expect(JSON.parse(imported.stdout)).toMatchObject({ lines_bad: 0, done: true })
  writeFileSync(file, (await aspyHere(['export', '--data', from])).stdout)
  const back = await aspyHere(['import', file, '--json', '--data', join(folder.path, 'fourth')])
  expect(JSON.parse(back.stdout)).toMatchObject({ events_added: lines.length, lines_bad: 0, done: true })
})

async function writeExport(dataDir: string, file: string): Promise<void> {
  const { code, stderr } = await aspyHere(['export', '--out', file, '--data', dataDir])
  expect({ code, stderr }).toMatchObject({ code: 0 })
}

/** Hashes are made with the folder's own key. */
function withoutHashes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"[0-9a-f]{32}"/g, '"hash"'))
}
