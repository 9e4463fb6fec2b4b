import { expect, test } from 'vitest'
import { cacheList } from '../../../src/main/operations/reader/cache.ts'
import type { CacheMiss } from '../../../src/shared/contract/cache.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { bill, hadItRead, type SimulatedBody, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { simulatedSessions } from '../../support/upstream/simulated-sessions.ts'
import { bodyOf, goOn, MODELS, newConversation, ratesOf, type VariedConversation } from './varied-conversations.ts'

const minimumOf = (model: string) => MODELS[model]?.minimum ?? Number.NaN

const missesOf = (dbPath: string): readonly CacheMiss[] =>
  reading(dbPath, (reader) =>
    cacheList(reader, { limit: 500 })
      .items.filter(({ cause }) => cause.kind !== 'first_request')
      .toReversed(),
  )

/** A conversation whose prompts are longer than any minimum, with a mark at the end of system and messages. */
function conversation(random: () => number, model = 'claude-sonnet-4-5'): VariedConversation {
  const made = newConversation(random)
  made.model = model
  made.marks = [
    { place: 'system', ttl: '5m' },
    { place: 'end', ttl: '5m' },
  ]
  if (typeof made.system === 'string') made.system = [{ type: 'text', text: made.system }]
  return made
}

/** Activity outside the turns of a conversation, which does not affect its cache. */
const HARMLESS: Readonly<
  Record<
    string,
    (at: {
      readonly send: Send
      readonly lose: Send
      readonly count: Send
      readonly main: VariedConversation
      readonly turn: number
    }) => Promise<unknown>
  >
> = {
  'the same request again': ({ send, main }) => send(bodyOf(main)),
  'a title by a small model': ({ send, main, turn }) =>
    send({
      model: 'claude-haiku-4-5',
      system: [{ type: 'text', text: 'Write a title for this conversation. Return JSON with a title field.' }],
      messages: [{ role: 'user', content: `prompt ${turn} of ${main.messages.length}` }],
    }),
  'other tokens and metadata': ({ send, main, turn }) =>
    send({ ...bodyOf(main), max_tokens: 1000 + turn, metadata: { user_id: `u${turn}` }, temperature: 1 }),
  'an agent of its own': ({ send, main }) => send({ ...bodyOf(main), system: 'You are an agent.' }, `a${main.model}`),
  'a prompt that is taken back': ({ send, main }) => {
    const edited = { role: 'user', content: [{ type: 'text', text: 'Something else instead.' }] }
    return send(bodyOf({ ...main, messages: [...main.messages.slice(0, -1), edited] }))
  },
  'a request that gets no answer': ({ lose, main }) => {
    pushAnswer(main, { type: 'text', text: 'Go on.' })
    return lose(bodyOf(main))
  },
  'its tokens counted': ({ count, main }) => count({ ...bodyOf(main), max_tokens: undefined }),
  'another conversation': ({ send, turn }) => send(bodyOf(conversation(seeded(turn + 77)))),
}
type Send = (body: SimulatedBody, agent?: string) => Promise<unknown>

test.each(Object.keys(HARMLESS))('between the turns of a conversation: %s', async (name) => {
  const { dbPath, send, lose, count } = simulatedSessions(minimumOf)
  for (let at = 0; at < runs(3, 40); at += 1) {
    const random = seeded(SEED + at)
    const main = conversation(random)
    const ask: Send = (body, agent) => send({ session: `s${at}`, body, betas: main.betas, ...(agent ? { agent } : {}) })
    await ask(bodyOf(main))
    for (let turn = 0; turn < 4; turn += 1) {
      goOn(main, random)
      await ask(bodyOf(main))
      await HARMLESS[name]?.({
        send: ask,
        lose: (body) => lose({ session: `s${at}`, body, betas: main.betas }),
        count: (body) => count({ session: `s${at}`, body, betas: main.betas }),
        main,
        turn,
      })
    }
    goOn(main, random)
    await ask(bodyOf(main))
  }
  const misses = missesOf(dbPath).filter(({ missed_tokens: missed }) => missed > 0)
  expect(misses.map(({ cause, read, could_read: could }) => ({ cause, read, could }))).toEqual([])
})

interface Step {
  readonly name: string
  /** The causes that its requests must have, in order. */
  readonly causes: readonly string[]
  readonly run: (at: {
    readonly ask: Send
    readonly main: VariedConversation
    readonly wait: (ms: number) => void
    readonly turn: () => void
  }) => Promise<void>
}
const tool = { name: 'mcp__late__find', description: 'Finds. '.repeat(40), input_schema: { type: 'object' } }
const pushAnswer = (main: VariedConversation, ...content: { [name: string]: unknown }[]) =>
  main.messages.push(
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'text', text: `and then? ${main.messages.length}` }] },
  )

const STEPS: readonly Step[] = [
  {
    name: 'a tool that comes and goes',
    causes: ['tools_changed', 'tools_changed'],
    async run({ ask, main, turn }) {
      main.tools.push(tool)
      turn()
      await ask(bodyOf(main))
      main.tools.pop()
      turn()
      await ask(bodyOf(main))
      turn()
      await ask(bodyOf(main))
    },
  },
  {
    name: 'models that take turns',
    causes: ['model_changed'],
    async run({ ask, main, turn }) {
      for (const model of ['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5']) {
        main.model = model
        turn()
        await ask(bodyOf(main))
      }
    },
  },
  {
    name: 'a date in the system prompt that changes at midnight',
    causes: ['system_changed'],
    async run({ ask, main, turn }) {
      const [first] = main.system
      if (typeof first !== 'object') throw new Error('a system prompt of blocks')
      main.system = [
        { ...first, text: `${String(first['text'])} Today is 2026-11-21.` },
        ...main.system.slice(1),
      ] as never
      turn()
      await ask(bodyOf(main))
      turn()
      await ask(bodyOf(main))
    },
  },
  {
    name: 'an old result that is cleared',
    causes: ['messages_changed'],
    async run({ ask, main, turn }) {
      pushAnswer(main, { type: 'tool_use', id: 'toolu_1', name: 'Tool0', input: {} })
      main.messages.splice(-1, 1, {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'line '.repeat(300) }],
      })
      await ask(bodyOf(main))
      turn()
      await ask(bodyOf(main))
      for (const { content } of main.messages)
        for (const block of Array.isArray(content) ? content : [])
          if (block['tool_use_id'] === 'toolu_1') block['content'] = '[Old tool result content cleared]'
      turn()
      await ask(bodyOf(main))
    },
  },
  {
    name: 'server tools',
    causes: [],
    async run({ ask, main }) {
      for (let at = 0; at < 3; at += 1) {
        const id = `srvtoolu_${at}`
        pushAnswer(
          main,
          { type: 'server_tool_use', id, name: 'web_search', input: { query: `orbit ${at}` } },
          {
            type: 'web_search_tool_result',
            tool_use_id: id,
            content: [{ type: 'web_search_result', url: 'https://a' }],
          },
          { type: 'text', text: 'Found it.' },
        )
        await ask(bodyOf(main))
      }
    },
  },
  {
    name: 'two marks on one message',
    causes: [],
    async run({ ask, main, turn }) {
      for (let at = 0; at < 3; at += 1) {
        turn()
        const body = bodyOf(main)
        const last = body.messages.at(-1)
        if (last === undefined || typeof last.content === 'string') throw new Error('a message of blocks')
        const content = [{ type: 'text', text: `first ${at}`, cache_control: { type: 'ephemeral' } }, ...last.content]
        main.messages.splice(-1, 1, { role: 'user', content: content.map(withoutMark) })
        await ask({ ...body, messages: [...body.messages.slice(0, -1), { role: 'user', content }] })
      }
    },
  },
  {
    name: 'a pause that only the longer life survives',
    causes: ['ttl_expired'],
    async run({ ask, main, turn, wait }) {
      wait(600_000)
      turn()
      await ask(bodyOf(main))
      turn()
      await ask(bodyOf(main))
    },
  },
]

function withoutMark(block: object): { [name: string]: unknown } {
  const { cache_control: _mark, ...rest } = block as { [name: string]: unknown }
  return rest
}

test.each(STEPS)('$name: $causes', async ({ name, causes, run }) => {
  const { dbPath, send, simulator } = simulatedSessions(minimumOf)
  const expected = new Map<string, number>()
  for (let at = 0; at < runs(2, 40); at += 1) {
    const random = seeded(SEED + 500 + at)
    const main = conversation(random)
    if (name.includes('longer life'))
      main.marks = [
        { place: 'system', ttl: '1h' },
        { place: 'end', ttl: '5m' },
      ]
    const before = new Map<string, SimulatedUsage>()
    const ask: Send = async (body) => {
      const usage = await send({ session: `s${at}`, body, betas: main.betas })
      const last = before.get(body.model) ?? [...before.values()].at(-1)
      if (last !== undefined) {
        const could = Math.min(
          last.read + last.written5m + last.written1h,
          usage.input + usage.read + usage.written5m + usage.written1h,
        )
        const rates = ratesOf(body.model)
        const waste = bill(usage, rates) - bill(hadItRead(usage, Math.max(0, could - usage.read)), rates)
        expected.set(`s${at}`, (expected.get(`s${at}`) ?? 0) + waste)
      }
      before.delete(body.model)
      before.set(body.model, usage)
    }
    await ask(bodyOf(main))
    await run({ ask, main, wait: (ms) => (simulator.now += ms), turn: () => goOn(main, random) })
  }
  const misses = missesOf(dbPath)
  for (const [session, waste] of expected) {
    const own = misses.filter(({ session_id: id }) => id === session)
    expect(
      own.map(({ cause }) => cause.kind),
      JSON.stringify(own.map(({ cause }) => cause)),
    ).toEqual(causes)
    expect(Math.abs(own.reduce((sum, { waste_usd: usd }) => sum + (usd ?? Number.NaN), 0) - waste)).toBeLessThan(1e-9)
  }
})
