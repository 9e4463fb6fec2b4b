import { describe, expect, test } from 'vitest'
import { createRolloutDecoder } from '../../../src/main/decode/client/codex/rollouts/rollout-decoder.ts'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { decodeHook } from '../../../src/main/decode/client/hooks.ts'
import { settled } from '../../../src/main/store/identity/settled.ts'
import type { AnyEvent, JsonObject } from '../../../src/shared/event.ts'
import { FILE_RESTORED } from '../../../src/shared/own-deed.ts'
import { createTimedExchanges, type TimedExchange } from '../../support/recorder/timed-exchanges.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { answered, said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'

/** Where turns begin and end that nothing shows at once: a cut, Escape before any text, a queued prompt, a compaction. */

type Row = Omit<AnyEvent, 'payload'> & { readonly payload: string }
type Sighted = Pick<AnyEvent, 'source' | 'session_id'> & { readonly payload: string | null }

const SESSION = '10000000-0000-4000-8000-000000000001'
const START = Date.UTC(2026, 10, 20, 10)
const [SECOND, DAY] = [1000, 86_400_000]
const iso = (at: number) => new Date(START + at).toISOString()
const text = (words: string) => ({ type: 'text', text: words })
const user = (...content: readonly object[]) => ({ role: 'user', content })
const model = (...content: readonly object[]) => ({ role: 'assistant', content })
const call = { type: 'tool_use', id: 'toolu_01aaaaaaaaaaaaaaaaaaaaaa', name: 'Bash', input: { command: 'make' } }
const result = { type: 'tool_result', tool_use_id: call.id, content: 'ok' }
const notice = (id: string) =>
  text(
    `<task-notification>\n<task-id>${id}</task-id>\n<status>completed</status>\n<summary>Background command "${id}" completed</summary>\n</task-notification>`,
  )
/** The log keeps such a payload apart from its row. */
const LONG = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a_field_${n}`, `its value ${n}`]))
const refused = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

function opened() {
  const { store, dbPath } = openTestStore()
  const exchanges = createTimedExchanges(store)
  let answers = 0
  const sent = (at: number, messages: readonly object[], more: Partial<TimedExchange>): TimedExchange => ({
    wall: START + at,
    monotonic: at,
    session: SESSION,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      system: [
        text('x-anthropic-billing-header: cc_version=2.1.332; cc_entrypoint=cli;'),
        text('You are Claude Code.'),
      ],
      tools: [{ name: 'Bash', input_schema: {} }],
      metadata: LONG,
      messages,
    },
    answer: {},
    ...more,
  })
  return {
    dbPath,
    store,
    hook: (at: number, name: string, more: object = {}) => {
      const body = { session_id: SESSION, hook_event_name: name, cwd: '/home/me/project', ...more }
      const drafts = decodeHook(body, { wall: START + at, at })
      store.ingest.append(drafts.map((draft, n) => ({ ...draft, keys: [...draft.keys, `hook:${at}:${n}`] })))
    },
    /** What it returns records the answer. */
    asks: (at: number, messages: readonly object[]) => exchanges.start(sent(at, messages, {})),
    fails: (at: number, messages: readonly object[]) => exchanges(sent(at, messages, { status: 529, answer: refused })),
    cut: (at: number, messages: readonly object[], cut: 'client_aborted' | 'upstream_aborted' = 'client_aborted') =>
      exchanges(sent(at, messages, { cut })),
    answers: (at: number, messages: readonly object[], ...content: readonly object[]) => {
      const id = `msg_01${String(++answers).padStart(22, 'a')}`
      const stop_reason = content.includes(call) ? 'tool_use' : 'end_turn'
      const usage = { input_tokens: 10, output_tokens: 5 }
      const answer = { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content, stop_reason, usage }
      return exchanges(sent(at, messages, { answer }))
    },
    reads: (lines: readonly string[]) => {
      const decoder = createTranscriptDecoder({ path: `/p/${SESSION}.jsonl` })
      store.ingest.append([...lines.flatMap((line) => decoder.line(line)), ...decoder.end()])
    },
    exchanges,
    /** The ends of each turn, by its prompt or notice, as their sources settle them. */
    ends: () =>
      readStore(dbPath, (db) => {
        const sightings = db.prepare<[string], Sighted>(
          'SELECT source, session_id, payload FROM sightings WHERE uuid = ?',
        )
        const all = db.prepare<[], Row>('SELECT * FROM events WHERE agent_id IS NULL ORDER BY turn_id, seq').all()
        const reasons = all.flatMap(({ payload, ...row }) => {
          if (row.kind !== 'turn_ended') return []
          const known = sightings
            .all(row.uuid)
            .map((each) => ({ ...each, payload: JSON.parse(each.payload ?? 'null') as JsonObject | null }))
          const { reason } = settled({ ...row, payload: JSON.parse(payload) as object }, known).payload as {
            reason: string
          }
          return [{ turn: row.turn_id, reason }]
        })
        return all
          .filter(
            ({ kind, seq, turn_id: turn }) =>
              kind === 'user_prompt' || (kind === 'notification' && seq === 0 && turn > 0),
          )
          .map(({ payload, turn_id: turn }) => {
            const ofTurn = reasons.filter((end) => end.turn === turn).map(({ reason }) => reason)
            return [(JSON.parse(payload) as { text: string }).text, ofTurn.length === 0 ? null : ofTurn.join()]
          })
      }),
    endedAt: () =>
      readStore(dbPath, (db) =>
        db.prepare('SELECT ended_at FROM turns WHERE turn_id > 0 ORDER BY turn_id').pluck().all(),
      ),
  }
}

test('with hooks, a turn that was stopped before any text ends with the next prompt, where it was last heard', async () => {
  const { hook, cut, answers, ends, endedAt, store } = opened()
  hook(0, 'UserPromptSubmit', { prompt: 'one' })
  await cut(SECOND, [user(text('one'))])
  hook(5 * SECOND, 'Notification', { message: 'Claude is waiting for your input', notification_type: 'idle_prompt' })
  hook(DAY, 'SessionStart', { source: 'resume' })
  store.ingest.append([
    {
      session_id: SESSION,
      ts_wall: iso(DAY + SECOND),
      source: 'api',
      kind: 'state_change',
      agent_id: null,
      ts_monotonic: null,
      payload: { name: FILE_RESTORED, to: {} },
      keys: ['restored:1'],
      parents: [],
    },
  ])
  hook(DAY + 2 * SECOND, 'UserPromptSubmit', { prompt: 'two' })
  await answers(DAY + 3 * SECOND, [user(text('one')), user(text('two'))], text('Done.'))
  expect(ends()).toEqual([
    ['one', 'cut'],
    ['two', 'end_turn'],
  ])
  expect(endedAt()[0]).toBe(iso(SECOND + 4))
  const live = endedAt()
  for (const _ of store.maintenance.rebuild());
  expect(endedAt()).toEqual(live)
})

test('the last answer gives the reason: not a failed one that was retried, nor a request of the client’s own', async () => {
  const { fails, cut, answers, exchanges, ends, endedAt } = opened()
  const one = [user(text('one'))]
  await fails(0, one)
  await cut(SECOND, one, 'upstream_aborted')
  await answers(2 * SECOND, one, text('I run it.'), call)
  await exchanges.start({
    wall: START + 3 * SECOND,
    session: SESSION,
    body: { model: 'claude-haiku-4-5', max_tokens: 9, metadata: LONG, system: [text('Write a title.')], messages: one },
    answer: {},
  })
  const two = [...one, model(text('I run it.'), call), user(result, text('two'))]
  await fails(4 * SECOND, two)
  await answers(5 * SECOND, [...two, user(text('three'))], text('Done.'))
  expect(ends()).toEqual([
    ['one', 'next_prompt'],
    ['two', 'failed'],
    ['three', 'end_turn'],
  ])
  expect(endedAt().slice(0, 2)).toEqual([iso(4 * SECOND), iso(4 * SECOND + 4)])
})

const INTERRUPTED = '[Request interrupted by user]'

test.each([['read alone'], ['live'], ['live, then read'], ['read, then live']])(
  'a turn that was cut and one that was sent with the next prompt end once, %s',
  async (order) => {
    const { cut, answers, reads, ends } = opened()
    const done = { type: 'text', text: 'Done.' }
    const live = async () => {
      await cut(0, [user(text('one'))])
      await answers(4 * SECOND, [user(text('one')), user(text('two')), user(text('three'))], done)
    }
    const read = () =>
      reads(
        transcriptLines(
          SESSION,
          [
            said('one'),
            said(INTERRUPTED),
            said('two'),
            said('three'),
            ...answered(`msg_01${'1'.padStart(22, 'a')}`, done),
          ],
          { at: START },
        ),
      )
    if (order.startsWith('live')) await live()
    if (order !== 'live') read()
    if (order === 'read, then live') await live()
    expect(ends()).toEqual([
      ['one', order === 'live' ? 'cut' : 'interrupted'],
      ['two', 'next_prompt'],
      ['three', 'end_turn'],
    ])
  },
)

test('an answer that the client cuts ends the turn at once, and once though the client asks again', async () => {
  const { cut, answers, ends, endedAt } = opened()
  const one = [user(text('one'))]
  await cut(0, one)
  expect(ends()).toEqual([['one', 'cut']])
  await answers(9 * SECOND, one, text('Done.'))
  expect(ends()).toEqual([['one', 'end_turn']])
  expect(endedAt()).toEqual([iso(9 * SECOND + 4)])
})

test('a request of the client’s own that it cuts while a tool runs does not end the turn', async () => {
  const { answers, exchanges, ends } = opened()
  const one = [user(text('one'))]
  await answers(0, one, text('I run it.'), call)
  await exchanges({
    wall: START + SECOND,
    session: SESSION,
    body: { model: 'claude-haiku-4-5', max_tokens: 9, metadata: LONG, system: [text('Write a title.')], messages: one },
    answer: {},
    cut: 'client_aborted',
  })
  expect(ends()).toEqual([['one', null]])
})

test('a turn in which an answer is awaited does not end, though another request of it failed', async () => {
  const { fails, asks, answers, ends } = opened()
  const one = [user(text('one'))]
  await fails(0, one)
  await asks(SECOND, one)
  await answers(2 * SECOND, [...one, user(text('two'))], text('Done.'))
  expect(ends()).toEqual([
    ['one', null],
    ['two', 'end_turn'],
  ])
})

test('notices end no turn, however many come before the next prompt', async () => {
  const { answers, cut, ends } = opened()
  const messages = [user(text('one'))]
  await answers(0, messages, text('I run it.'), call)
  messages.push(model(text('I run it.'), call), user(result))
  await cut(SECOND, messages)
  messages.push(model(text('It')))
  for (const n of [1, 2, 3, 4, 5]) {
    messages.push(user(notice(`b${n}`)))
    await answers(n * 60 * SECOND, messages, text(`Heard ${n}.`))
    messages.push(model(text(`Heard ${n}.`)))
  }
  await answers(600 * SECOND, [...messages, user(text('two'))], text('Done.'))
  expect(ends()).toEqual([
    ['one', 'cut'],
    ...[1, 2, 3, 4, 5].map((n) => [`Background command "b${n}" completed`, 'end_turn']),
    ['two', 'end_turn'],
  ])
})

const apiError = (words: string): TranscriptLine => ({
  type: 'assistant',
  isApiErrorMessage: true,
  error: 'overloaded_error',
  message: { model: '<synthetic>', role: 'assistant', content: [text(words)] },
})

test('a turn that a notice begins, and whose request fails, ends once, whether it is read before the next prompt or behind it', async () => {
  for (const isReadFirst of [true, false]) {
    const { fails, answers, reads, ends } = opened()
    const messages = [user(text('one')), model(text('Done.')), user(notice('b1'))]
    await answers(0, messages.slice(0, 1), text('Done.'))
    await fails(60 * SECOND, messages)
    const lines = transcriptLines(
      SESSION,
      [{ type: 'user', message: { role: 'user', content: notice('b1').text } }, apiError('API Error: 529 Overloaded')],
      { at: START + 60 * SECOND },
    )
    if (isReadFirst) reads(lines)
    await answers(90 * SECOND, [...messages, user(text('two'))], text('Done again.'))
    reads(lines)
    expect(ends()).toEqual([
      ['one', 'end_turn'],
      ['Background command "b1" completed', 'overloaded_error'],
      ['two', 'end_turn'],
    ])
  }
})

test.each([['fails, read, leaves'], ['fails, leaves, read'], ['read, fails, leaves']])(
  'a turn that failed, and whose client left, ends once, as it failed: %s',
  async (order) => {
    const { fails, hook, reads, ends } = opened()
    const steps: Readonly<Record<string, () => unknown>> = {
      read: () => reads(transcriptLines(SESSION, [said('one'), apiError('API Error: 529 Overloaded')], { at: START })),
      fails: () => fails(0, [user(text('one'))]),
      leaves: () => hook(9 * SECOND, 'SessionEnd', { reason: 'other' }),
    }
    for (const step of order.split(', ')) await steps[step]?.()
    expect(ends()).toEqual([['one', 'overloaded_error']])
  },
)

test('an error behind an end that a Stop hook refused ends the turn again, live and read alike', async () => {
  const { fails, answers, reads, ends } = opened()
  const feedback = user(text('Stop hook feedback:\n- [check.sh]: run the tests'))
  await answers(0, [user(text('one'))], text('Done.'))
  await fails(SECOND, [user(text('one')), model(text('Done.')), feedback])
  await answers(9 * SECOND, [user(text('one')), model(text('Done.')), feedback, user(text('two'))], text('Done.'))
  reads(transcriptLines(SESSION, [said('one'), apiError('API Error: 529 Overloaded')], { at: START }))
  expect(ends()).toEqual([
    ['one', 'end_turn,overloaded_error'],
    ['two', 'end_turn'],
  ])
})

test.each([['before'], ['behind']])(
  'a Codex turn that was interrupted ends once, if its rollout is read %s the next prompt',
  async (when) => {
    const thread = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
    const { exchanges, store, ends } = opened()
    const item = (role: string, words: string) => ({
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: words }],
    })
    const turn = (n: number) => `01a205b1-d652-7003-9371-95e24e872b0${n}`
    const sends = (n: number, input: readonly object[], more: Partial<TimedExchange>) =>
      exchanges({
        wall: START + n * 60 * SECOND,
        monotonic: n * 60 * SECOND,
        session: thread,
        path: '/v1/responses',
        headers: [
          ['user-agent', 'codex_cli_rs/0.171.0 (Linux)'],
          ['originator', 'codex_cli_rs'],
          ['session_id', thread],
          [
            'x-codex-turn-metadata',
            JSON.stringify({ session_id: thread, thread_id: thread, turn_id: turn(n), request_kind: 'turn' }),
          ],
        ],
        body: { model: 'gpt-5.5', stream: false, instructions: 'You are Codex.', tools: [], input },
        answer: {},
        ...more,
      })
    const line = (type: string, payload: object) => JSON.stringify({ timestamp: iso(SECOND), type, payload })
    const lines = [
      line('session_meta', { id: thread, cwd: '/home/me/project', cli_version: '0.171.0' }),
      line('event_msg', { type: 'task_started', turn_id: turn(0) }),
      line('turn_context', { turn_id: turn(0), cwd: '/home/me/project', model: 'gpt-5.5' }),
      line('response_item', {
        ...item('user', 'one'),
        internal_chat_message_metadata_passthrough: { turn_id: turn(0) },
      }),
      line('event_msg', { type: 'user_message', message: 'one' }),
      line('event_msg', { type: 'turn_aborted', turn_id: turn(0), reason: 'interrupted' }),
    ]
    const read = () => {
      const decoder = createRolloutDecoder({
        path: `/x/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${thread}.jsonl`,
      })
      store.ingest.append([...lines.flatMap((each) => decoder.line(each)), ...decoder.end()])
    }
    await sends(0, [item('user', 'one')], { cut: 'client_aborted' })
    if (when === 'before') read()
    await sends(1, [item('user', 'one'), item('user', 'two')], {
      answer: {
        id: 'resp_000000000000000000000001',
        object: 'response',
        status: 'completed',
        model: 'gpt-5.5',
        output: [{ ...item('assistant', 'Done.'), id: 'msg_000000000000000000000001', status: 'completed' }],
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      },
    })
    read()
    expect(ends()).toEqual([
      ['one', 'interrupted'],
      ['two', expect.any(String)],
    ])
  },
)

const SUMMARY = 'Doors were painted.'
const continued = text(`This session is being continued from a previous conversation.\n\nSummary:\n${SUMMARY}`)
const COMPACT = [
  '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>',
  '<local-command-stdout>Compacted </local-command-stdout>',
]

describe.each([['manual'], ['auto']])('what began a compaction comes before it in one turn: %s', (trigger) => {
  const [isManual, at] = [trigger === 'manual', 60 * SECOND]
  const asked = isManual ? COMPACT : []
  const live = async ({ answers, hook }: ReturnType<typeof opened>, hasHooks: boolean) => {
    const before = [user(text('one')), model(text('Done.'))]
    await answers(0, before.slice(0, 1), text('Done.'))
    if (hasHooks) hook(at - 100, 'PreCompact', { trigger, custom_instructions: '' })
    if (hasHooks && !isManual) hook(at - 200, 'UserPromptSubmit', { prompt: 'two' })
    await answers(
      at,
      [...before, user(text('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'))],
      text(`<summary>\n${SUMMARY}\n</summary>`),
    )
    if (hasHooks) hook(at + 100, 'PostCompact', { trigger, compact_summary: `<summary>\n${SUMMARY}\n</summary>` })
    // A minute passes behind a command: the client sends it with the next prompt.
    await answers(isManual ? 2 * at : at + 200, [user(continued, ...asked.map(text), text('two'))], text('Done again.'))
  }
  const lines = [
    ...transcriptLines(SESSION, [said('one'), ...answered('msg_01aaaaaaaaaaaaaaaaaaaaa1', text('Done.'))], {
      at: START,
    }),
    ...(isManual ? [] : transcriptLines(SESSION, [said('two')], { at: START + at - 50 })),
    ...transcriptLines(
      SESSION,
      [
        {
          type: 'system',
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          compactMetadata: { trigger },
        },
        { ...said(continued.text), isCompactSummary: true, timestamp: iso(at + 10) },
        // Typed before what it did, written behind it.
        ...asked.map((content, n) => ({ ...said(content), timestamp: iso(at - 20 + n * 40) })),
      ],
      { at: START + at + 10 },
    ),
    ...transcriptLines(
      SESSION,
      [...(isManual ? [said('two')] : []), ...answered('msg_01aaaaaaaaaaaaaaaaaaaaa3', text('Done again.'))],
      { at: START + (isManual ? 2 * at : at + 300) },
    ),
  ]

  test.each([
    ['live', async (of: ReturnType<typeof opened>) => live(of, false)],
    ['live, with hooks', async (of: ReturnType<typeof opened>) => live(of, true)],
    ['read alone', async ({ reads }: ReturnType<typeof opened>) => reads(lines)],
    [
      'live, then read',
      async (of: ReturnType<typeof opened>) => {
        await live(of, false)
        of.reads(lines)
      },
    ],
    [
      'read, then live',
      async (of: ReturnType<typeof opened>) => {
        of.reads(lines)
        await live(of, false)
      },
    ],
  ])('%s', async (_, tells) => {
    const all = opened()
    await tells(all)
    const by = (order: string) =>
      readStore(all.dbPath, (db) =>
        db
          .prepare(
            `SELECT turn_id, coalesce(payload ->> 'text', 'summary') FROM events
             WHERE kind IN ('user_prompt', 'compaction') ORDER BY ${order}`,
          )
          .raw()
          .all(),
      )
    expect(by('turn_id, seq')).toEqual([
      [1, 'one'],
      ...(isManual
        ? [
            [2, '/compact'],
            [2, 'summary'],
            [3, 'two'],
          ]
        : [
            [2, 'two'],
            [2, 'summary'],
          ]),
    ])
    expect(by('ts_wall, turn_id, seq')).toEqual(by('turn_id, seq'))
  })
})

describe.each([['cut'], ['fails']] as const)('a prompt behind a compaction that never happened: %s', (outcome) => {
  const [asked, later] = [60 * SECOND, 3600 * SECOND]
  const before = [user(text('one')), model(text('Done.'))]
  test.each([['on the wire'], ['in a hook'], ['in a transcript']])('has its own time: %s', async (shown) => {
    const { dbPath, hook, reads, answers, ...rest } = opened()
    await answers(0, before.slice(0, 1), text('Done.'))
    await rest[outcome](asked, [...before, user(text('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'))])
    if (shown === 'in a hook') hook(later, 'UserPromptSubmit', { prompt: 'two' })
    if (shown === 'in a transcript') reads(transcriptLines(SESSION, [said('two')], { at: START + later }))
    await answers(later, [...before, user(text('two'))], text('Done again.'))
    const prompts = readStore(dbPath, (db) =>
      db
        .prepare(`SELECT payload ->> 'text', ts_wall FROM events WHERE kind = 'user_prompt' ORDER BY ts_wall`)
        .raw()
        .all(),
    )
    expect(prompts).toEqual([
      ['one', iso(0)],
      ['two', iso(later)],
    ])
  })
})
