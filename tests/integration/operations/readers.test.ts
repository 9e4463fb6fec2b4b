import { renameSync, rmSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createDispatch, type CallContext, type Dispatch } from '../../../src/main/dispatch/dispatch.ts'
import type { MainHandlers } from '../../../src/main/dispatch/handlers.ts'
import { ReaderPool } from '../../../src/main/readers/host/pool.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../../src/shared/contract/index.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { eachInTime } from '../../support/runner/in-time.ts'

const decoder = new TextDecoder()
const ALL: CallContext = { access: 'all' }

/** Main-thread handlers of which these tests need none but to be refused or reached. */
const main = {
  'hooks.post': () => ({}),
  'live.subscribe': async function* () {
    yield { events: [], deltas: [] }
    yield { events: [], deltas: [], missed: 1 }
  },
} as unknown as MainHandlers

let folder: TempFolder
let pool: ReaderPool | undefined

afterEach(async () => {
  await pool?.close()
  pool = undefined
  folder.remove()
})

function open(databasePath: string, options: { entry?: URL; size?: number } = {}): Dispatch {
  pool = new ReaderPool({ databasePath, ...options })
  return createDispatch({ readers: pool, recorder: { call: async (name, input) => ({ name, input }) }, main })
}

async function ask<Name extends OperationName>(
  dispatch: Dispatch,
  name: Name,
  input: OperationInput<Name>,
  context = ALL,
): Promise<OperationOutput<Name>> {
  return JSON.parse(decoder.decode(await dispatch.call(name, input, context))) as OperationOutput<Name>
}

/** A prompt, a thought, a tool call that fails, an answer. */
const history = [
  draftOf('user_prompt', { text: 'Which theme shall we take?' }, { at: '2026-11-01T10:00:00.000Z', keys: ['p1'] }),
  draftOf(
    'thinking',
    { text: 'Solarized is easy on the eyes.', signature_only: false, message_id: 'm1', index: 0 },
    { at: '2026-11-01T10:00:01.000Z', keys: ['block:m1:0'], parents: ['p1'] },
  ),
  draftOf(
    'tool_call',
    { call_id: 'c1', tool_name: 'Bash', input: { command: 'make theme' }, message_id: 'm1', index: 1 },
    { at: '2026-11-01T10:00:02.000Z', keys: ['call:c1'], parents: ['block:m1:0'] },
  ),
  draftOf(
    'tool_result',
    { call_id: 'c1', tool_name: 'Bash', output: 'make: no rule to make target theme', is_error: true, rejected: false },
    { at: '2026-11-01T10:00:03.000Z', keys: ['result:c1'], parents: ['call:c1'], duration_ms: 40 },
  ),
  draftOf(
    'assistant_text',
    { text: 'We take Solarized.', message_id: 'm2', index: 0 },
    { at: '2026-11-01T10:00:04.000Z', keys: ['block:m2:0'], parents: ['result:c1'] },
  ),
]

describe('dispatch', () => {
  test('names the field of a bad input and what is expected', async () => {
    folder = makeTempFolder()
    const dispatch = open(join(folder.path, 'lifestats.db'))
    await expect(dispatch.call('sessions.list', { limit: 0 }, ALL)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/limit: too small.*1/),
    })
    await expect(dispatch.call('no.such', {}, ALL)).rejects.toMatchObject({ code: 'not_found' })
    await expect(dispatch.call('live.subscribe', {}, ALL)).rejects.toMatchObject({ code: 'bad_input' })
  })

  test('limits each key to its access', async () => {
    folder = makeTempFolder()
    const dispatch = open(join(folder.path, 'lifestats.db'))
    const event = { session_id: 's', kind: 'notification', payload: { text: 'x' } }
    await expect(dispatch.call('events.post', event, { access: 'read' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(dispatch.call('stats.summary', {}, { access: 'hooks' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(
      await ask(dispatch, 'hooks.post', { session_id: 's', hook_event_name: 'Stop' }, { access: 'hooks' }),
    ).toEqual({})
    expect(await dispatch.call('events.post', event, ALL)).toBeInstanceOf(Uint8Array)
  })

  test('streams batches until the caller leaves', async () => {
    folder = makeTempFolder()
    const dispatch = open(join(folder.path, 'lifestats.db'))
    const caller = new AbortController()
    const batches: unknown[] = []
    for await (const { json } of eachInTime(
      'a batch comes',
      dispatch.stream('live.subscribe', {}, ALL, caller.signal),
    )) {
      batches.push(JSON.parse(decoder.decode(json)))
      caller.abort()
    }
    expect(batches).toEqual([{ events: [], deltas: [] }])
  })

  test('says that recording is off', async () => {
    folder = makeTempFolder()
    const dispatch = createDispatch({ readers: null, recorder: { call: async () => ({}) }, main })
    await expect(dispatch.call('stats.summary', {}, ALL)).rejects.toMatchObject({ code: 'lifestats_off' })
  })
})

describe('reader threads', () => {
  test('answer empty before the first recording, and see the file once it is created or replaced', async () => {
    folder = makeTempFolder()
    const databasePath = join(folder.path, 'lifestats.db')
    const dispatch = open(databasePath)
    expect(await ask(dispatch, 'sessions.list', {})).toEqual({ items: [], next: null })
    expect((await ask(dispatch, 'recall.search', { query: 'solarized' })).total).toBe(0)
    expect(existsSync(databasePath)).toBe(false)

    fillStore(folder.path, history)
    expect((await ask(dispatch, 'recall.search', { query: 'solarized' })).items.length).toBe(2)

    for (const end of ['', '-wal', '-shm']) rmSync(`${databasePath}${end}`, { force: true })
    using other = makeTempFolder()
    fillStore(other.path, history.slice(0, 1))
    renameSync(join(other.path, 'lifestats.db'), databasePath)
    expect((await ask(dispatch, 'events.count', {})).count).toBe(1)
  })

  test('restart after a crash and run the interrupted call once more', async () => {
    folder = makeTempFolder()
    const databasePath = fillStore(folder.path, history)
    const dispatch = open(databasePath, {
      entry: new URL('../../support/store/crashing-reader.ts', import.meta.url),
      size: 1,
    })
    // The stand-in dies at its first call of a life, and answers when a marker file says that it died before.
    const answer = JSON.parse(decoder.decode(await dispatch.call('events.count', {}, ALL))) as unknown
    expect(answer).toEqual({ lives: 2 })
    await expect(dispatch.call('events.get', { uuid: 'always-dies' }, ALL)).rejects.toMatchObject({ code: 'internal' })
    expect(JSON.parse(decoder.decode(await dispatch.call('events.count', {}, ALL)))).toEqual({ lives: 2 })
  })

  test('start as concurrent calls need them and end when idle', async () => {
    folder = makeTempFolder()
    const databasePath = fillStore(folder.path, history)
    const readers = (pool = new ReaderPool({ databasePath, restMs: 20, helpMs: 0 }))
    expect(readers.threads).toBe(1)
    const recent = async (limit: number) => {
      const json = await readers.call('events.recent', { limit })
      return (JSON.parse(decoder.decode(json)) as { items: unknown[] }).items.length
    }
    const asked = [1, 2, 3].map(recent)
    await expect.poll(() => readers.threads, { interval: 1 }).toBe(2)
    expect(await Promise.all(asked)).toEqual([1, 2, 3])
    await until('both have ended', async () => readers.threads === 0)
    for (const end of ['', '-wal', '-shm']) rmSync(`${databasePath}${end}`, { force: true })
    using other = makeTempFolder()
    renameSync(fillStore(other.path, history.slice(0, 2)), databasePath)
    expect(await Promise.all([1, 2, 3].map(recent))).toEqual([1, 2, 2])
  })

  test('end sooner if they only helped', async () => {
    folder = makeTempFolder()
    const readers = (pool = new ReaderPool({ databasePath: fillStore(folder.path, history), restMs: 4000, helpMs: 0 }))
    const asked = [1, 2, 3].map((limit) => readers.call('events.recent', { limit }))
    await expect.poll(() => readers.threads, { interval: 1 }).toBe(2)
    await Promise.all(asked)
    await pause(2000)
    expect(readers.threads).toBe(1)
  })

  test('get no help for calls that each wait only a moment', async () => {
    const thread = `import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ call }) => {
        if (call === undefined) return parentPort.close()
        setTimeout(() => parentPort.postMessage({ call, bytes: new Uint8Array(), next: null }), 20)
      })`
    const entry = new URL(`data:text/javascript,${encodeURIComponent(thread)}`)
    const readers = (pool = new ReaderPool({ databasePath: '', entry, helpMs: 400 }))
    await readers.call('first', {})
    const inARow = async () => {
      for (let at = 0; at < 25; at += 1) await readers.call('next', {})
    }
    await Promise.all([inARow(), inARow()])
    expect(readers.threads).toBe(1)
  })

  test('lose no call that comes while they end', async () => {
    folder = makeTempFolder()
    const databasePath = join(folder.path, 'lifestats.db')
    writeFileSync(`${databasePath}.died`, '')
    const entry = new URL('../../support/store/crashing-reader.ts', import.meta.url)
    const readers = (pool = new ReaderPool({ databasePath, entry, restMs: 0 }))
    let ended = 0
    for (let call = 0; call < 6; call += 1) {
      expect(decoder.decode(await readers.call('events.count', {}))).toBe('{"lives":2}')
      await pause(call % 3)
      ended += Number(readers.threads === 0)
    }
    expect(ended).toBeGreaterThan(0)
  })

  test('cancel a search whose caller left, or that a newer search of the same page supersedes', async () => {
    folder = makeTempFolder()
    const dispatch = open(fillStore(folder.path, history), { size: 1 })
    const caller = new AbortController()
    const first = dispatch.call('recall.search', { query: 'theme' }, { access: 'all', signal: caller.signal })
    caller.abort()
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    const typed = (query: string, client: string) =>
      dispatch.call('recall.search', { query, prefix: true, client }, ALL)
    const older = typed('sol', 'page-1')
    const elsewhere = typed('sol', 'page-2')
    const newer = typed('solar', 'page-1')
    await expect(older).rejects.toMatchObject({ code: 'cancelled' })
    expect(await newer).toBeInstanceOf(Uint8Array)
    expect(await elsewhere).toBeInstanceOf(Uint8Array)
  })
})

describe('operations', () => {
  test('walk from an event to its prompt and back', async () => {
    folder = makeTempFolder()
    const dispatch = open(fillStore(folder.path, history))
    const all = (await ask(dispatch, 'events.list', { session_id: 's1' })).items
    const answer = all.find((event) => event.kind === 'assistant_text')
    const chain = await ask(dispatch, 'events.chain', { uuid: answer?.uuid ?? '' })
    expect(chain.items.map(({ kind, depth }) => [kind, depth])).toEqual([
      ['user_prompt', 0],
      ['thinking', 1],
      ['tool_call', 2],
      ['tool_result', 3],
      ['assistant_text', 4],
    ])
    expect([chain.truncated, chain.cycle, chain.gap]).toEqual([false, false, false])
    const children = await ask(dispatch, 'events.children', { uuid: all[0]?.uuid ?? '' })
    expect(children.items.map(({ kind }) => kind)).toEqual(['thinking'])
    const trace = await ask(dispatch, 'events.trace', { last_error: true, match: 'no rule', as_text: true })
    expect(trace.items.map(({ kind }) => kind)).toEqual(['user_prompt', 'thinking', 'tool_call', 'tool_result'])
    expect(trace.text).toContain('no rule to make target')
    await expect(dispatch.call('events.get', { uuid: 'nobody' }, ALL)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('page without gap or repetition, with a cursor that other operations refuse', async () => {
    folder = makeTempFolder()
    const many = Array.from({ length: 25 }, (_, index) =>
      draftOf(
        'notification',
        { text: `n${index}` },
        { at: `2026-11-01T10:00:${String(index % 7).padStart(2, '0')}.000Z` },
      ),
    )
    const dispatch = open(fillStore(folder.path, many))
    for (const order of ['newest', 'oldest'] as const) {
      const seen: number[] = []
      let cursor: string | null = null
      do {
        const page: OperationOutput<'sessions.events'> = await ask(dispatch, 'sessions.events', {
          session_id: 's1',
          limit: 4,
          order,
          ...(cursor === null ? {} : { cursor }),
        })
        seen.push(...page.items.map((event) => event.id))
        cursor = page.next
      } while (cursor !== null)
      expect(new Set(seen).size).toBe(25)
      expect(seen.length).toBe(25)
    }
    await expect(dispatch.call('sessions.events', { session_id: 's1', cursor: 'bogus' }, ALL)).rejects.toMatchObject({
      code: 'bad_input',
    })
  })

  test('sum up what was recorded, by model and by tool', async () => {
    folder = makeTempFolder()
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_creation_1h_input_tokens: 0,
      thinking_tokens: null,
      web_search_requests: 0,
      service_tier: null,
      speed: null,
      inference_geo: null,
    }
    const drafts = [
      ...history,
      draftOf(
        'api_usage',
        { message_id: 'm2', model: 'nobody-knows-1', usage, request_kind: 'prompt', basis: 'measured', ttft_ms: 7 },
        { at: '2026-11-01T10:00:04.000Z', keys: ['usage:m2'], parents: ['block:m2:0'], duration_ms: 900 },
      ),
    ]
    const dispatch = open(fillStore(folder.path, drafts))
    const summary = await ask(dispatch, 'stats.summary', {})
    expect(summary).toMatchObject({
      total_sessions: 1,
      total_tokens: 115,
      unpriced_calls: 1,
      total_tool_calls: 1,
      total_prompts: 1,
      total_thinking_blocks: 1,
      by_model: [{ model: 'nobody-knows-1', tokens: 115, cost_usd: null, calls: 1 }],
      by_tool: [{ tool: 'Bash', calls: 1, avg_duration_ms: 40, success_rate: 0 }],
    })
    expect((await ask(dispatch, 'stats.summary', { until: '2026-10-31' })).total_tokens).toBe(0)
    const series = await ask(dispatch, 'costs.series', { bucket: 'day', utc_offset_minutes: 840 })
    expect(series.items).toMatchObject([{ bucket: '2026-11-02', model: 'nobody-knows-1', calls: 1, unpriced_calls: 1 }])
    expect((await ask(dispatch, 'tools.list', {})).items).toMatchObject([
      {
        tool_name: 'Bash',
        duration_ms: 40,
        success: false,
        error: 'make: no rule to make target theme',
        session_title: 'Which theme shall we take?',
      },
    ])
    expect((await ask(dispatch, 'stats.slowest', {})).items).toMatchObject([{ name: 'Bash', duration_ms: 40 }])
    expect((await ask(dispatch, 'stats.slowest', { by: 'kind' })).items[0]).toMatchObject({
      name: 'api_usage',
      duration_ms: 900,
    })
    for (const by of ['tool', 'kind'] as const) {
      expect((await ask(dispatch, 'stats.slowest', { by, project: '/work/app', limit: 1 })).items).toHaveLength(1)
      expect((await ask(dispatch, 'stats.slowest', { by, project: '/work/other' })).items).toEqual([])
    }
    const analytics = await ask(dispatch, 'stats.analytics', {})
    expect(analytics.totals).toMatchObject({
      calls: 1,
      tokens: 115,
      cost_usd: 0,
      unpriced_calls: 1,
      p95_duration_ms: 900,
    })
    const turn = await ask(dispatch, 'sessions.turn', { session_id: 's1', turn: 1 })
    expect(turn).toMatchObject({ prompt: 'Which theme shall we take?', tokens: 115, cost_usd: null, duration_ms: 4000 })
    expect(turn.errors).toHaveLength(1)
    expect((await ask(dispatch, 'sessions.history', { session_id: 's1' })).items.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ])
    const resumed = await ask(dispatch, 'sessions.resume', { session_id: 's1' })
    expect(resumed.last_prompt).toBe('Which theme shall we take?')
    expect(resumed.text).toContain('make theme')
    expect((await ask(dispatch, 'events.recent', { project: '/work/app', limit: 2 })).items).toHaveLength(2)
    expect((await ask(dispatch, 'sessions.timeline', { session_id: 's1' })).items[0]?.kind).toBe('user_prompt')
  })
})
