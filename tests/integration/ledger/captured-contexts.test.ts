import { assert, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/shared/time-units.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { randomWords, seeded } from '../../support/store/history.ts'
import { bill, CacheSimulator, hadItRead, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { allMisses, simulatedSessions, type SimulatedAsk } from '../../support/upstream/simulated-sessions.ts'
import {
  blocksOf,
  goOn,
  MARK,
  newConversation,
  PLANTS,
  RATES,
  SECRET,
  text,
  type Conversation,
  type Plant,
  type Random,
} from './captured-conversations.ts'

/**
 * Causes in odd circumstances, alone and two at a time. The oracle is the simulated cache itself, which is asked again with
 * the same history and each of the changes: one may be named only if the request misses more with it than without it.
 */

const CASES = runs(60, 1500)

type Asked = Pick<SimulatedAsk, 'body' | 'betas'> & { readonly key: string }
type Sent = Asked & { readonly now: number }
type Planted = readonly (readonly [name: string, plant: Plant])[]

interface Told {
  readonly main: Conversation
  readonly random: Random
  /** Sends the conversation as it is, or another body. */
  readonly ask: (as?: { readonly of?: Conversation; readonly agent?: string }) => Promise<SimulatedUsage>
  /** The same, but its answer comes later. */
  readonly start: (of: Conversation) => Promise<() => Promise<unknown>>
  readonly lose: () => Promise<void>
  readonly refuse: () => Promise<void>
  readonly count: () => Promise<void>
  readonly wait: (ms: number) => void
  /** Names the conversation's next requests so. */
  readonly moveTo: (session: string) => void
}

interface Context {
  /** Before the first request. */
  readonly begin?: (conversation: Conversation, random: Random) => void
  /** After some ordinary requests, right before the one that changes. */
  readonly tell?: (told: Told) => Promise<unknown>
  /** What makes an entry that is gone nobody's fault. */
  readonly hides?: true
  /** Blocks of a step. */
  readonly blocks?: number
  /** Of each of its requests. */
  readonly as?: Pick<SimulatedAsk, 'agent' | 'unsplit' | 'clockMs'>
  /** From the request on that changes. */
  readonly later?: Pick<SimulatedAsk, 'clockMs'>
}

const other = (random: Random): Conversation => {
  const made = newConversation(random)
  made.body.system = [...made.body.system.slice(0, 2), text(`You are an agent. ${randomWords(random, 300)}`)]
  goOn(made, random)
  return made
}
const life = (ttl: '5m' | '1h') => ({ cache_control: { type: 'ephemeral', ttl } })
const image = (data = 'iVBORw0KGgo='): { [name: string]: unknown } => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
})

const CONTEXTS: Readonly<Record<string, Context>> = {
  plainly: {},
  'after a rewind': {
    async tell({ main, random, ask }) {
      for (let at = 0; at < 2; at += 1) {
        goOn(main, random)
        await ask()
      }
      main.body.messages.splice(-4)
      goOn(main, random)
      await ask()
    },
  },
  'after a fork': {
    async tell({ moveTo, ask, main, random }) {
      moveTo('fork')
      goOn(main, random)
      await ask()
    },
  },
  'after a compaction': {
    async tell({ main, random, ask }) {
      const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${randomWords(random, 400)}`
      main.body.messages = [{ role: 'user', content: [{ ...text(summary), ...MARK }] }]
      await ask()
      goOn(main, random)
      await ask()
    },
  },
  'after another model and back': {
    async tell({ main, random, ask }) {
      const { model } = main.body
      goOn(main, random)
      Object.assign(main.body, { model: 'claude-sonnet-4-5' })
      await ask()
      goOn(main, random)
      Object.assign(main.body, { model })
      await ask()
    },
  },
  'beside two agents': {
    async tell({ random, ask }) {
      const [one, two] = [other(random), other(random)]
      for (let at = 0; at < 2; at += 1)
        for (const [agent, of] of [
          ['a1', one],
          ['a2', two],
        ] as const) {
          await ask({ of, agent })
          goOn(of, random)
        }
    },
  },
  'beside an agent that begins alike': {
    async tell({ main, random, ask }) {
      const agent = structuredClone(main)
      goOn(agent, random)
      await ask({ of: agent, agent: 'a1' })
    },
  },
  'after a title': {
    async tell({ random, ask }) {
      const of = newConversation(random)
      of.body = {
        model: 'claude-haiku-4-5',
        system: [text('Write a title. Return JSON with a title field.')],
        tools: [],
        messages: [{ role: 'user', content: [text(randomWords(random, 9))] }],
      }
      await ask({ of })
    },
  },
  'after a refusal': { tell: ({ refuse }) => refuse() },
  'after its tokens were counted': { tell: ({ count }) => count() },
  'after the same again': { tell: ({ ask }) => ask() },
  'after a cut answer and the same again': {
    async tell({ main, random, lose, ask }) {
      goOn(main, random)
      await lose()
      await ask()
    },
  },
  'with a secret': {
    hides: true,
    begin: ({ body }, random) =>
      void blocksOf(body.messages[0]).unshift(text(`key ${SECRET} ${randomWords(random, 3)}`)),
  },
  'without tools': { begin: ({ body }) => void (body.tools = []) },
  'with huge tools': {
    begin: ({ body }, random) =>
      void body.tools.push(
        ...Array.from({ length: 60 }, (_, at) => ({
          name: `mcp__big__t${at}`,
          description: randomWords(random, 60),
          input_schema: { type: 'object', properties: {} },
        })),
      ),
  },
  'an hour for all': {
    begin: ({ body }) => {
      body.system = body.system.map((part) => ('cache_control' in part ? { ...part, ...life('1h') } : part))
    },
  },
  'betas in another order': { tell: async ({ main }) => void main.betas.reverse() },
  'with an image from the beginning': {
    begin: ({ body }) => void blocksOf(body.messages[0]).unshift(image()),
  },
  'with searches': {
    async tell({ main, random, ask }) {
      goOn(main, random)
      blocksOf(main.body.messages.at(-2)).unshift(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: randomWords(random, 2) } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            {
              type: 'web_search_result',
              url: 'https://a',
              title: randomWords(random, 3),
              encrypted_content: randomWords(random, 30),
            },
          ],
        },
      )
      await ask()
    },
  },
  'with many blocks a step': { blocks: 8 },
  'after a long answer time': { tell: async ({ wait }) => wait(200_000) },
  'after a pause that missed': {
    async tell({ main, random, ask, wait }) {
      wait(400_000)
      goOn(main, random)
      await ask()
    },
  },
  'after a tool that came late': {
    async tell({ main, random, ask }) {
      main.body.tools.push({ name: 'mcp__came__late', description: randomWords(random, 9), input_schema: {} })
      goOn(main, random)
      await ask()
    },
  },
  'with words that repeat': {
    async tell({ main, random, ask }) {
      for (let at = 0; at < 3; at += 1) {
        goOn(main, random)
        main.body.messages.splice(-1, 1, { role: 'user', content: [{ ...text('continue'), ...MARK }] })
        await ask()
      }
    },
  },
  'as an agent whose prompt is short': {
    begin: ({ body }) => void (body.system[2] = { ...body.system[2], text: 'Be brief.' }),
  },
  'with messages of strings': {
    async tell({ main, random, ask }) {
      goOn(main, random)
      main.body.messages.splice(-1, 0, { role: 'user', content: randomWords(random, 9) })
      await ask()
    },
  },
  'with a clock that is set forward': { as: { clockMs: 0 }, later: { clockMs: 3_600_000 } },
  'with a clock that is set back': { as: { clockMs: 0 }, later: { clockMs: -3_600_000 } },
  'as an agent of its own': { as: { agent: 'a9' } },
  'through a gateway that does not say the life': { as: { unsplit: true } },
  'beside a request of the same conversation': {
    async tell({ main, random, ask, start }) {
      const of = structuredClone(main)
      goOn(of, random)
      const end = await start(of)
      goOn(main, random)
      await ask()
      await end()
    },
  },
  'after a request that overtook another': {
    async tell({ main, random, ask, start }) {
      goOn(main, random)
      const end = await start(structuredClone(main))
      goOn(main, random)
      await ask()
      await end()
    },
  },
  'after a resume that sends the first prompt as a string': {
    async tell({ main, random, ask }) {
      const [first] = main.body.messages
      if (first)
        first.content = blocksOf(first)
          .map((it) => String(it['text']))
          .join('')
      goOn(main, random)
      await ask()
    },
  },
  'after twenty steps': {
    async tell({ main, random, ask }) {
      for (let at = 0; at < 20; at += 1) {
        goOn(main, random)
        await ask()
      }
    },
  },
  'after another key and back': {
    async tell({ main, random, ask }) {
      const { key } = main
      goOn(main, random)
      main.key = 'sk-ant-second'
      await ask()
      goOn(main, random)
      main.key = key
      await ask()
    },
  },
  'with a document': {
    begin: ({ body }, random) =>
      void blocksOf(body.messages[0]).push({
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: randomWords(random, 50) },
      }),
  },
}

const promptOf = ({ input, read, written5m, written1h }: SimulatedUsage) => input + read + written5m + written1h
/** Its answer is unknown, its change needs more than one request, or it changes what comes before. */
const ALONE = new Set(['nothing', 'an answer of which nothing is known, lost', 'no mark at the end', 'compaction'])
/**
 * A change that is nothing in these circumstances, or that another one takes back. Without its own name, a client that has
 * no tools or asks for a format holds no conversation.
 */
const IMPOSSIBLE: readonly RegExp[] = [
  /another model and back: .*another model/,
  /(long answer time|two agents): .*less than the lifetime/,
  /does not say the life: .*an hour/,
  /without tools: .*(output format|(first|a) part of the system prompt|as a string)/,
  /(?=.*output format).*(first|a) part of the system prompt|(?=.*output format).*as a string/,
]
const minimumOf = (model: string) => (model.includes('haiku') ? 4096 : 1024)

const askedWith = (of: Conversation): Asked => structuredClone(of) as unknown as Asked

/** Asks the cache again after the same history what the next request reads with only these changes. */
function usageWith(plants: Planted, before: Conversation, history: readonly Sent[], begun: number, seed: number) {
  const simulator = new CacheSimulator(minimumOf)
  for (const { now, key, body, betas } of history) {
    simulator.now = now
    simulator.send(key, body, betas)
  }
  simulator.now = begun
  const changed = structuredClone(before)
  for (const [, plant] of plants) apply(plant, changed, simulator, seed)
  const { key, body, betas } = askedWith(changed)
  return simulator.send(key, body, betas)
}

function apply({ change, evict, waitMs = 0 }: Plant, to: Conversation, simulator: CacheSimulator, seed: number): void {
  change?.(to, seeded(seed))
  if (evict) simulator.evict()
  simulator.now += waitMs
}

interface Expected {
  readonly name: string
  readonly session: string
  readonly at: string
  readonly kinds: ReadonlySet<string>
  readonly missed: number
  /** Null: the two requests have different prices. */
  readonly waste: number | null
}

/** Chooses circumstances and one or two changes; null if they take each other back. */
function choose(random: Random) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? assert.fail('an empty list')
  const [where, context] = pick(Object.entries(CONTEXTS))
  const all = Object.entries(PLANTS).filter(([name]) => !ALONE.has(name))
  const plants = [...new Map([pick(all), ...(random() < 0.4 ? [pick(all)] : [])])]
  const name = `${where}: ${plants.map(([own]) => own).join(' + ')}`
  return IMPOSSIBLE.some((pattern) => pattern.test(name)) ? null : { name, context, plants }
}

async function play(at: number, simulated: ReturnType<typeof simulatedSessions>): Promise<Expected | null> {
  const { simulator } = simulated
  const random = seeded(SEED + 50_000 + at)
  const chosen = choose(random)
  if (chosen === null) return null
  const { name, context, plants } = chosen
  const main = newConversation(random)
  context.begin?.(main, random)
  for (const [, plant] of plants) plant.begin?.(main)
  const history: Sent[] = []
  let [session, as] = [`s${at}`, context.as ?? {}]
  const asked = (of = main) => ({ session, ...as, ...askedWith(of) })
  const sent = (of = main) => {
    const made = asked(of)
    history.push({ ...made, now: simulator.now })
    return made
  }
  const ask: Told['ask'] = ({ of, ...more } = {}) => simulated.send({ ...sent(of), ...more })
  const next = () => goOn(main, random, 1 + Math.floor(random() * (context.blocks ?? 1)))
  for (let turn = 0; turn < 3 + random() * 2; turn += 1) {
    next()
    await ask()
  }
  await context.tell?.({
    main,
    random,
    ask,
    start: (of) => simulated.start(sent(of)),
    lose: () => simulated.lose(sent()),
    refuse: () => simulated.refuse(asked()),
    count: () => simulated.count(asked()),
    wait: (ms) => void (simulator.now += ms),
    moveTo: (to) => void (session += ` ${to}`),
  })
  next()
  const [begun, before, earlier, seed] = [simulator.now, structuredClone(main), [...history], SEED + at]
  const readWith = (list: Planted) => usageWith(list, before, earlier, begun, seed)
  try {
    for (const [, plant] of plants) apply(plant, main, simulator, seed)
  } catch {
    // What one of them changes is gone by the other, or in these circumstances.
    return null
  }
  as = { ...as, ...context.later }
  const sentAt = new Date(simulator.now + (as.clockMs ?? 0)).toISOString()
  const usage = await ask()
  simulator.now += 2 * HOUR_MS
  const could = readWith([]).read
  const missedBy = (of: SimulatedUsage) => Math.max(0, Math.min(could, promptOf(of)) - of.read)
  const missed = missedBy(usage)
  const guilty = plants.filter(
    (plant) =>
      missedBy(readWith([plant])) > 0 || missedBy(readWith(plants.filter((other) => other !== plant))) < missed,
  )
  const kinds = new Set(guilty.map(([, { kind }]) => kind ?? 'nothing'))
  // What cannot be known hides what the provider did.
  if (kinds.has('provider') && (context.hides || plants.length > 1)) kinds.add('unknown')
  if (context.hides) kinds.delete('provider')
  const isPriced = plants.every(([, { kind }]) => kind !== 'model_changed' && kind !== 'speed_changed')
  const waste = isPriced ? bill(usage, RATES) - bill(hadItRead(usage, missed), RATES) : null
  return { name, session, at: sentAt, kinds, missed, waste }
}

test('causes are named in odd circumstances, alone and two at a time', async () => {
  const simulated = simulatedSessions(minimumOf)
  const expected: Expected[] = []
  for (let at = 0; at < CASES; at += 1) {
    const made = await play(at, simulated)
    if (made !== null) expected.push(made)
  }
  const misses = allMisses(simulated.dbPath)
  const wrong = expected.flatMap(({ name, session, at, kinds, missed, waste }) => {
    const found = misses.find((miss) => miss.session_id === session && miss.ts_wall === at)
    const isNamed = missed === 0 || kinds.has(found?.cause.kind ?? '')
    const isPriced = waste === null || Math.abs((found?.waste_usd ?? 0) - waste) < 1e-9
    if ((found?.missed_tokens ?? 0) === missed && isNamed && isPriced) return []
    return [`${session} ${name}: ${missed} missed, $${waste}, ${[...kinds].join('|')}: ${JSON.stringify(found)}`]
  })
  expect(wrong).toEqual([])
  expect(expected.length).toBeGreaterThan(CASES * 0.8)
  simulated.store.close()
}, 600_000)
