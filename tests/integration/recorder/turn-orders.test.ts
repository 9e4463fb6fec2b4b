import { expect, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { decodeHook } from '../../../src/main/decode/client/hooks.ts'
import { few } from '../../support/runner/heavy.ts'
import { createTimedExchanges, type TimedExchange } from '../../support/recorder/timed-exchanges.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { answered, said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'

/** A session whose second turn ran outside of Aspy: whatever arrives first, each call belongs to its own prompt's turn. */

const SESSION = '10000000-0000-4000-8000-000000000001'
const START = Date.UTC(2026, 10, 20, 10)
const at = (turn: number) => START + turn * 60_000
const text = (words: string) => ({ type: 'text', text: words })
const messageOf = (turn: number) => `msg_01${'ABCDEFG'.at(turn) ?? ''}aaaaaaaaaaaaaaaaaaaaaa`

interface World {
  readonly prompts: readonly string[]
  /** The client sends the first prompt in another form after a resume. */
  readonly otherForm: boolean
  /** Aspy starts again before the third turn. */
  readonly restarts: boolean
  /** Hooks of the second turn arrive, though its requests pass elsewhere. */
  readonly hooked: boolean
  /** All answers have the same words. */
  readonly sameAnswers: boolean
}

const answerOf = ({ sameAnswers }: Pick<World, 'sameAnswers'>, turn: number) =>
  sameAnswers ? 'Done.' : `answer ${turn}`

function worldOf(world: Pick<World, 'prompts' | 'otherForm' | 'sameAnswers'>) {
  const { prompts, otherForm } = world
  const { store, dbPath } = openTestStore()
  let exchange = createTimedExchanges(store)
  const decoder = createTranscriptDecoder({ path: `/p/${SESSION}.jsonl` })
  const lines = prompts.map((prompt, turn): TranscriptLine[] => [
    said(prompt),
    ...answered(messageOf(turn), text(answerOf(world, turn))).map((line) => ({
      ...line,
      requestId: `req_01${'ABC'.at(turn) ?? ''}aaaaaaaaaaaaaaaaaaaaaa`,
    })),
  ])
  const messages = (turn: number) =>
    prompts
      .slice(0, turn + 1)
      .flatMap((prompt, n) => [
        { role: 'user', content: n < turn && turn > 0 && otherForm ? prompt : [text(prompt)] },
        ...(n < turn ? [{ role: 'assistant', content: [text(answerOf(world, n))] }] : []),
      ])
  const sent = (turn: number): TimedExchange => ({
    wall: at(turn) + 100,
    session: SESSION,
    monotonic: at(turn) - START,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      system: [
        text('x-anthropic-billing-header: cc_version=2.1.332; cc_entrypoint=cli;'),
        text('You are Claude Code.'),
      ],
      tools: [{ name: 'Bash', input_schema: {} }],
      messages: messages(turn),
    },
    answer: {
      id: messageOf(turn),
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [text(answerOf(world, turn))],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  })
  const hook =
    (turn: number, name: string, late: number, more: object = {}) =>
    () => {
      const body = { session_id: SESSION, hook_event_name: name, cwd: '/home/me/project', ...more }
      const drafts = decodeHook(body, { wall: at(turn) + late, at: at(turn) - START + late })
      store.ingest.append(drafts.map((draft, n) => ({ ...draft, keys: [...draft.keys, `hook:${turn}${name}:${n}`] })))
    }
  let answer: (() => Promise<string>) | null = null
  const whole = transcriptLines(SESSION, lines.flat(), {})
  const perTurn = lines.map((_, turn) => {
    const before = lines.slice(0, turn).flat().length
    return whole.slice(before, before + (lines[turn]?.length ?? 0)).map((line, n) => {
      const known = JSON.parse(line) as object
      return JSON.stringify({ ...known, timestamp: new Date(at(turn) + 50 + n * 1000).toISOString() })
    })
  })
  const step = {
    prompted: (turn: number) => hook(turn, 'UserPromptSubmit', 60, { prompt: prompts[turn] }),
    stopped: (turn: number) => hook(turn, 'Stop', 2000, { last_assistant_message: answerOf(world, turn) }),
    asks: (turn: number) => async () => {
      answer = await exchange.start(sent(turn))
    },
    hears: () => async () => {
      await answer?.()
    },
    read: (turn: number) => () => {
      store.ingest.append([...(perTurn[turn] ?? []).flatMap((line) => decoder.line(line)), ...decoder.end()])
    },
  }
  const restart = () => {
    exchange = createTimedExchanges(store)
  }
  return { dbPath, step, restart }
}

interface Told {
  readonly text: string
  /** Turns with smaller numbers. */
  readonly turn: number
  readonly calls: number
  readonly requests: number
  readonly said: string
}

/** The prompts in their order, each with what its turn counts and holds. */
const told = (dbPath: string): readonly Told[] =>
  readStore(dbPath, (db) =>
    db
      .prepare<[], Told>(
        `SELECT p.content AS text, (SELECT count(*) FROM turns b WHERE b.turn_id < p.turn_id) AS turn, t.calls, t.requests,
           (SELECT group_concat(kind || ' ' || coalesce(payload ->> 'text', payload ->> 'last_text')) FROM events e
            WHERE e.turn_id = p.turn_id AND e.kind IN ('assistant_text', 'turn_ended')) AS said
         FROM user_prompts p JOIN turns t USING (session_id, turn_id) ORDER BY p.prompt_number`,
      )
      .all(),
  )

/** All orders of steps in which each comes after those that it needs. */
function orders(names: readonly string[], after: Record<string, readonly string[]>): string[][] {
  if (names.length === 0) return [[]]
  return names
    .filter((name) => (after[name] ?? []).every((needed) => !names.includes(needed)))
    .flatMap((name) => orders(names.toSpliced(names.indexOf(name), 1), after).map((rest) => [name, ...rest]))
}

async function play(world: World, order: readonly string[]) {
  const { step, restart, dbPath } = worldOf(world)
  step.prompted(0)()
  await step.asks(0)()
  await step.hears()()
  step.stopped(0)()
  if (world.hooked) {
    step.prompted(1)()
    step.stopped(1)()
  }
  if (world.restarts) restart()
  const steps: Record<string, () => unknown> = {
    prompt: step.prompted(2),
    asks: step.asks(2),
    hears: step.hears(),
    stop: step.stopped(2),
    read: () => [0, 1].map((turn) => step.read(turn)()),
    'read on': step.read(2),
  }
  for (const name of order) await steps[name]?.()
  return told(dbPath)
}

const ALL = orders(['prompt', 'asks', 'hears', 'stop', 'read', 'read on'], {
  hears: ['asks'],
  stop: ['hears'],
  'read on': ['read', 'hears'],
})
const PLAIN = { otherForm: false, restarts: false, hooked: false, sameAnswers: false }
const CASES = [
  ['one', 'two', 'three'],
  ['one', 'one', 'one'],
  ['one', 'two', 'two'],
  ['one', 'two', 'one'],
  ['one', 'one', 'two'],
].flatMap((prompts) =>
  [{}, { hooked: true }, { otherForm: true }, { restarts: true }, { sameAnswers: true }].map((more) => ({
    ...PLAIN,
    ...more,
    prompts,
  })),
)

test.each(CASES)('each turn has its own cost: $prompts, $hooked $otherForm $restarts $sameAnswers', async (world) => {
  const { prompts, hooked, otherForm } = world
  // Where nothing shows the second turn before, the recorder holds the third prompt's hook for its request.
  const held = ALL.filter(
    (order) => hooked || Math.min(order.indexOf('asks'), order.indexOf('read')) < order.indexOf('prompt'),
  )
  for (const order of few(held, 3))
    expect(await play(world, order), order.join(', ')).toEqual(
      prompts.map((prompt, turn) => ({
        text: prompt,
        // A request in another form shows nothing of the turns before: a turn gets its number when it is read.
        turn: otherForm ? expect.any(Number) : turn,
        calls: 1,
        requests: turn === 1 ? 0 : 1,
        said: `assistant_text ${answerOf(world, turn)},turn_ended ${answerOf(world, turn)}`,
      })),
    )
})

test.each([
  ['its hook', true],
  ['the next request alone', false],
])(
  'what the client handles itself is not a prompt, and a summary is the /compact’s that %s shows',
  async (_, isHooked) => {
    const { store, dbPath } = openTestStore()
    const exchange = createTimedExchanges(store)
    const ran = (name: string) => text(`<command-name>${name}</command-name>\n<command-message>x</command-message>\n`)
    const printed = text('<local-command-stdout>done</local-command-stdout>\n')
    const asked = [
      ran('/clear'),
      printed,
      text('<bash-input>ls</bash-input>'),
      text('<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>\n'),
      text('Paint the door'),
    ]
    const send = (n: number, messages: readonly object[], answer: string) =>
      exchange({
        wall: at(n),
        session: SESSION,
        monotonic: n * 1000,
        body: { model: 'claude-sonnet-4-5', max_tokens: 9, system: [text('You are Claude Code.')], messages },
        answer: {
          id: messageOf(n),
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [text(answer)],
          stop_reason: 'end_turn',
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      })
    const user = (...content: readonly object[]) => ({ role: 'user', content })
    const before = [user(...asked), { role: 'assistant', content: [text('It is red.')] }]
    await send(0, [user(...asked)], 'It is red.')
    const hook = { session_id: SESSION, hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: '' }
    const wanted = user(text('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarize.'))
    const compact = async (n: number, history: readonly object[], summary: string, prompt: string, typed: object[]) => {
      if (isHooked && typed.length > 0) store.ingest.append(decodeHook(hook, { wall: at(n) - 100, at: n * 1000 - 100 }))
      await send(n, [...history, wanted], `<summary>${summary}</summary>`)
      const begin = `This session is being continued from a previous conversation.\n\nSummary:\n${summary}`
      const answer = `It is ${prompt.length}.`
      const conversation = [user(text(begin), ...typed, text(prompt))]
      await send(n + 1, conversation, answer)
      return [...conversation, { role: 'assistant', content: [text(answer)] }]
    }
    const command = [ran('/compact'), printed]
    const once = await compact(1, before, 'A red door.', 'And the sill', command)
    // The same words again are another command; without any, the client began it for the prompt that follows.
    const twice = await compact(3, once, 'A blue sill.', 'And the gate', command)
    await compact(5, twice, 'A gate.', 'And the roof', [])
    expect(told(dbPath).map(({ text: typed, calls, requests }) => [typed, calls, requests])).toEqual([
      ['/clear', 0, 0],
      ['!ls', 0, 0],
      ['Paint the door', 1, 1],
      ['/compact', 1, 1],
      ['And the sill', 1, 1],
      ['/compact', 1, 1],
      ['And the gate', 1, 1],
      ['And the roof', 2, 2],
    ])
    expect(readStore(dbPath, (db) => db.prepare('SELECT prompts FROM sessions').pluck().all())).toEqual([8])
  },
)

test.each([
  ['a shell line', [text('<bash-input>npm test</bash-input>'), text('<bash-stdout>ok</bash-stdout>')], '!npm test'],
  ['words typed during a call', [text('The user sent a new message while you were working:\ngo on')], 'go on'],
])('%s that is entered again is a turn of its own, with its own answer', async (_, content, typed) => {
  const { store, dbPath } = openTestStore()
  const exchange = createTimedExchanges(store)
  const messages: object[] = []
  for (const n of [0, 1, 2]) {
    messages.push({ role: 'user', content: n === 0 ? [text('Start')] : content })
    await exchange({
      wall: at(n),
      session: SESSION,
      monotonic: n * 1000,
      body: {
        model: 'claude-sonnet-4-5',
        max_tokens: 9,
        system: [text('You are Claude Code.')],
        messages: [...messages],
      },
      answer: {
        id: messageOf(n),
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [text(`answer ${n}`)],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    })
    messages.push({ role: 'assistant', content: [text(`answer ${n}`)] })
  }
  const wanted = ['Start', typed, typed].map((prompt, turn) => ({
    text: prompt,
    turn,
    calls: 1,
    requests: 1,
    said: `assistant_text answer ${turn},turn_ended answer ${turn}`,
  }))
  expect(told(dbPath)).toEqual(wanted)
})

test.each([[['hook', 'read']], [['read', 'hook']], [['read']]])(
  'a typed /exit ends the session once, as %j tell of it',
  (order) => {
    const { store, dbPath } = openTestStore()
    const decoder = createTranscriptDecoder({ path: `/p/${SESSION}.jsonl` })
    const exit = said('<command-name>/exit</command-name>\n<command-message>exit</command-message>')
    const lines = transcriptLines(SESSION, [said('one'), ...answered(messageOf(0), text('answer')), exit], {
      at: START,
    })
    const hook = { session_id: SESSION, hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' }
    for (const source of order)
      store.ingest.append(
        source === 'read'
          ? lines.flatMap((line) => decoder.line(line))
          : decodeHook(hook, { wall: START + 3000, at: 1 }).map((draft) => ({ ...draft, keys: ['hook:1'] })),
      )
    const ends = readStore(dbPath, (db) =>
      db.prepare("SELECT payload ->> 'reason' FROM events WHERE kind = 'session_ended'").pluck().all(),
    )
    expect(ends).toEqual(['prompt_input_exit'])
    expect(readStore(dbPath, (db) => db.prepare('SELECT ended_at FROM sessions').pluck().get())).not.toBeNull()
  },
)

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })
const results = (...content: object[]): TranscriptLine => ({ type: 'user', message: { role: 'user', content } })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
const queued = (operation: string, content?: string): TranscriptLine => ({
  type: 'queue-operation',
  operation,
  content,
})

test.each([
  ['beside a result', [...answered(messageOf(0), call('c1')), results(result('c1'), text('And test it'))]],
  [
    'beside the first of two results',
    [
      ...answered(messageOf(0), call('c1'), call('c2')),
      results(result('c1'), text('And test it')),
      results(result('c2')),
    ],
  ],
  [
    'and passed on before the last block of an answer is written',
    answered(messageOf(0), text('I look.'), call('c1')).flatMap((line, n) =>
      n === 0 ? [line, queued('enqueue', 'And test it'), queued('remove')] : [line, results(result('c1'))],
    ),
  ],
])('words typed %s begin the turn of the next answer, also if they are read again', (_, lines) => {
  const { store, dbPath } = openTestStore()
  const whole = transcriptLines(SESSION, [said('Paint it'), ...lines, ...answered(messageOf(1), text('Tested.'))], {})
  const read = () => {
    const decoder = createTranscriptDecoder({ path: `/p/${SESSION}.jsonl` })
    return store.ingest.append([...whole.flatMap((line) => decoder.line(line)), ...decoder.end()]).added
  }
  expect(read()).not.toEqual([])
  expect(read()).toEqual([])
  expect(told(dbPath).map(({ text: typed, said: heard }) => [typed, heard?.includes('Tested.') ?? false])).toEqual([
    ['Paint it', false],
    ['And test it', true],
  ])
})
