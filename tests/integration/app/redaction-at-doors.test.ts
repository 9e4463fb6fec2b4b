import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { readStore } from '../../support/store/folder.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

/** A key as Anthropic gives them out, but for its digits: another one for each place. */
const made = new Map<string, string>()
function secret(place: string): string {
  const known = made.get(place)
  if (known !== undefined) return known
  const digits = Buffer.from(`${place}-`.repeat(30)).toString('hex').slice(0, 40)
  const key = `sk-ant-api03-${String(made.size).padStart(3, '0')}${digits.padEnd(90, 'Qx7')}AA`
  made.set(place, key)
  return key
}
const MARK = /\[redacted:anthropic-key:[0-9a-f]{4}\]/

/** A row of the log as an export writes it, a key in every text that is not an id of ours, a time or one of a list. */
function exportedLine(uuid: string, seq: number, kind: string, payload: object): object {
  const at = (column: string) => `${column} of ${seq}: ${secret(`${column} ${seq}`)}.`
  return {
    event: {
      uuid,
      session_id: `session-${secret('session')}`,
      turn_id: 1,
      seq,
      agent_id: at('agent_id'),
      parent_uuid: null,
      kind,
      source: 'transcript',
      ts_wall: `2026-11-20T10:00:0${seq}.000Z`,
      ts_monotonic: null,
      duration_ms: null,
      success: false,
      error_message: at('error_message'),
      request_id: at('request_id'),
      user_id: at('user_id'),
      project: `/home/ada/${secret(`project ${seq}`)}/orbit`,
      schema_version: 1,
      payload,
    },
    keys: [`note:${secret(`key ${seq}`)}`],
    parent_keys: [[`line:${secret(`parent key ${seq}`)}`, 0]],
    sightings: [
      {
        source: 'hook',
        session_id: `session-${secret('session')}`,
        seen_at: '2026-11-20T10:00:00.000Z',
        payload: { git_branch: at('branch'), [secret(`name in sighting ${seq}`)]: 1 },
      },
    ],
    contents: { ['ab'.repeat(16)]: JSON.stringify({ type: 'text', text: at('content') }) },
  }
}

const UUIDS = [1, 2, 3].map((at) => `0190000${at}-0000-7000-8000-000000000000`)

test('aspy import FILE: no column of the log, no table and no file keeps a secret of the export', async () => {
  using folder = makeTempFolder()
  const [file, data] = [join(folder.path, 'all.jsonl'), join(folder.path, 'data')]
  const long = `${'so it goes '.repeat(200)}${secret('long text')}`
  const lines = [
    { aspy_export: 1 },
    exportedLine(UUIDS[0] ?? '', 1, 'user_prompt', { text: `use ${secret('prompt')} for it. ${long}` }),
    exportedLine(UUIDS[1] ?? '', 2, 'error', {
      origin: 'upstream',
      type: secret('type'),
      message: `it said ${secret('message')}`,
      status: 400,
      body: { error: [secret('body'), { [secret('name in body')]: { deep: secret('deep') } }] },
    }),
    // As a session log has it, and as an archive has its contents.
    {
      type: 'Notification',
      timestamp: '2026-11-20T10:00:04.000Z',
      session_id: `session-${secret('session')}`,
      turn_id: 1,
      uuid: UUIDS[2],
      content: `note ${secret('note')}`,
      content_of: 'text',
      payload: {},
      agent_id: null,
      parent_uuid: null,
      source: 'hook',
      duration_ms: null,
      success: null,
      seq: 3,
      error_message: null,
      request_id: null,
      user_id: null,
      project: `/home/ada/${secret('project of a log')}/orbit`,
      schema_version: 1,
      keys: [],
    },
    { contents: { ['cd'.repeat(16)]: JSON.stringify({ type: 'text', text: secret('archived content') }) } },
  ]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { code, stdout, stderr } = await aspyHere(['import', file, '--json', '--data', data])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ events_added: 3, lines_bad: 0, done: true })

  expect(made.size).toBeGreaterThan(25)
  expect(secretsIn(data, [...made.values()])).toEqual([])
  // The text around them is kept, with a mark in place of each.
  const rows = readStore(join(data, 'lifestats.db'), (db) =>
    db.prepare<[], Record<string, unknown>>('SELECT * FROM events ORDER BY seq').all(),
  )
  const marked = (around: string) => expect.stringMatching(new RegExp(around.replace('MARK', MARK.source)))
  expect(rows).toHaveLength(3)
  for (const row of rows.slice(0, 2))
    expect(row).toMatchObject({
      project: marked('^/home/ada/MARK/orbit$'),
      session_id: marked('^session-MARK$'),
      agent_id: marked(`^agent_id of ${String(row['seq'])}: MARK\\.$`),
      error_message: marked('^error_message of .: MARK\\.$'),
      request_id: marked('MARK'),
      user_id: marked('MARK'),
    })
  expect(rows[2]).toMatchObject({ project: marked('^/home/ada/MARK/orbit$'), payload: marked('note MARK') })
  const tables = readStore(join(data, 'lifestats.db'), (db) =>
    ['SELECT project FROM sessions', 'SELECT DISTINCT project FROM rollups', 'SELECT content FROM errors'].map((sql) =>
      db.prepare(sql).pluck().all(),
    ),
  )
  expect(tables.flat().length).toBeGreaterThan(3)
  for (const value of tables.flat()) expect(value).toMatch(MARK)
})

test('hooks and errors of the upstream are shown at once, redacted', async () => {
  await using upstream = await upstreamThatRefuses(`no: ${secret('refusal')}`)
  using folder = makeTempFolder()
  const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const cwd = `/home/ada/${secret('cwd')}/orbit`
  const hook = { session_id: 'hooked', cwd, transcript_path: `/tmp/${secret('transcript path')}.jsonl` }
  try {
    for (const more of [
      { hook_event_name: 'UserPromptSubmit', prompt: `use ${secret('hook prompt')}` },
      {
        hook_event_name: 'PostToolUseFailure',
        tool_name: 'Bash',
        tool_use_id: 'toolu_1',
        tool_input: { command: `curl -H ${secret('hook input')}` },
        error: `refused: ${secret('hook error')}`,
      },
      { hook_event_name: 'StopFailure', error: secret('stop error'), error_details: secret('stop details') },
      { hook_event_name: 'NobodyKnowsThis', detail: { [secret('hook name')]: [secret('hook detail')] } },
    ])
      await app.call('hooks.post', { ...hook, ...more })
    await (await ask(app.proxy, { prompt: 'please', session: 'asked' })).text()
    await until('all is recorded', async () => (await app.count({ kind: 'error', session_id: 'asked' })) === 1)
    // The end of a turn waits for its answer, and later hooks behind it.
    await until('all hooks are recorded', async () => (await app.count({ session_id: 'hooked' })) === 4)
    const { items } = await app.call<{ items: { kind: string; project: string | null }[] }>('events.list', {
      limit: 100,
    })
    const hooked = items.filter(({ project }) => project !== null && MARK.test(project))
    expect(hooked.length).toBeGreaterThan(2)
    const shown = JSON.stringify([
      items,
      await app.call('errors.list'),
      await app.call('sessions.list'),
      await app.call('sessions.history', { session_id: 'hooked' }),
      await app.call('events.export', { limit: 100 }),
    ])
    const words = [
      'no: MARK',
      'refused: MARK',
      'use MARK',
      '/home/ada/MARK/orbit',
      '"reason":"MARK"',
      '{"MARK":."MARK".}',
    ]
    expect(words.filter((one) => !new RegExp(one.replaceAll('MARK', MARK.source)).test(shown))).toEqual([])
    expect([...made].filter(([, key]) => shown.includes(key.slice(13, 60))).map(([place]) => place)).toEqual([])
  } finally {
    await app.close()
  }
  expect(secretsIn(folder.path, [...made.values()])).toEqual([])
})

async function upstreamThatRefuses(message: string) {
  const upstream = await startMessagesUpstream(() => ({
    status: 400,
    error: { type: 'invalid_request_error', message },
  }))
  return { url: upstream.url, [Symbol.asyncDispose]: () => upstream.close() }
}
