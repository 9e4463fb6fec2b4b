import { expect, test } from 'vitest'
import { cacheList } from '../../../src/main/operations/reader/cache.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { randomWords, seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { CacheSimulator, type SimulatedBody, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { simulatedSessions } from '../../support/upstream/simulated-sessions.ts'

/**
 * Several changes happen at once. The oracle is the simulated cache itself, which is asked again with the same history: a cause
 * may be named only if its change alone makes a request miss, or if the request would have missed less without it.
 */

type Block = Record<string, unknown>
interface Conversation {
  model: string
  speed?: string
  betas: string[]
  tools: Block[]
  system: Block[]
  messages: { role: string; content: Block[] | string }[]
  thinking: Block
  tool_choice?: Block
  /** Whether the API is asked to keep all thinking: otherwise nobody is blamed for an entry that is gone. */
  keepsThinking: boolean
  /** Where marks are, each with its life. */
  marks: { system: '5m' | '1h' | null; tools: '5m' | '1h' | null; previous: boolean; end: '5m' | '1h' }
}
type Random = () => number
interface Change {
  readonly kinds: readonly string[]
  /** Returns what happens before the request, or null if it changes nothing here. */
  readonly apply: (
    conversation: Conversation,
    random: Random,
  ) => { readonly waitMs?: number; readonly evict?: true } | null
}

const MODELS = ['claude-sonnet-4-5', 'claude-sonnet-4-6']
const text = (value: string): Block => ({ type: 'text', text: value })
const image = (random: Random): Block => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: Buffer.from(randomWords(random, 30)).toString('base64') },
})

function begin(random: Random): Conversation {
  const end = random() < 0.5 ? '5m' : '1h'
  const earlier = () => (random() < 0.6 ? (random() < 0.5 ? '1h' : end) : null)
  const tools = earlier()
  const system = tools === '5m' ? (random() < 0.5 ? '5m' : null) : earlier()
  return {
    model: MODELS[Math.floor(random() * 2)] ?? '',
    betas: ['claude-code-20250219', 'context-management-2025-06-27'],
    tools: Array.from({ length: 3 }, (_, at) => ({
      name: `Tool${at}`,
      description: randomWords(random, 150),
      input_schema: {},
    })),
    system: [
      text('x-anthropic-billing-header: cc_version=2.1.330;'),
      text(randomWords(random, 900)),
      text(randomWords(random, 60)),
    ],
    messages: [
      {
        role: 'user',
        content: [text(`<system-reminder>${randomWords(random, 90)}</system-reminder>`), text(randomWords(random, 30))],
      },
    ],
    thinking: { type: 'adaptive' },
    keepsThinking: random() < 2 / 3,
    marks: { tools, system, previous: random() < 0.5, end: tools === '5m' || system === '5m' ? '5m' : end },
  }
}

function goOn({ messages }: Conversation, random: Random): void {
  const id = `toolu_${randomWords(random, 2).replace(' ', '')}`
  const isCall = random() < 0.6
  messages.push({
    role: 'assistant',
    content: [
      ...(random() < 0.6
        ? [{ type: 'thinking', thinking: randomWords(random, 30), signature: randomWords(random, 4) }]
        : []),
      text(randomWords(random, 20)),
      ...(isCall ? [{ type: 'tool_use', id, name: 'Tool0', input: { at: randomWords(random, 1) } }] : []),
    ],
  })
  const result = {
    type: 'tool_result',
    tool_use_id: id,
    content: random() < 0.5 ? randomWords(random, 40) : [text(randomWords(random, 40))],
  }
  messages.push({ role: 'user', content: [...(isCall ? [result] : []), text(randomWords(random, 12))] })
}

const control = (life: '5m' | '1h') => ({
  cache_control: life === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' },
})

function bodyOf({
  model,
  speed,
  tools,
  system,
  messages,
  thinking,
  tool_choice,
  keepsThinking,
  marks,
}: Conversation): SimulatedBody {
  const lastMarked = (list: readonly Block[], life: '5m' | '1h' | null) =>
    list.map((block, at) => (life !== null && at === list.length - 1 ? { ...block, ...control(life) } : block))
  const users = messages.flatMap(({ role, content }, at) => (role === 'user' && Array.isArray(content) ? [at] : []))
  return {
    model,
    max_tokens: 32_000,
    ...(speed === undefined ? {} : { speed }),
    thinking,
    ...(keepsThinking ? { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } } : {}),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    tools: lastMarked(tools, marks.tools),
    system: lastMarked(system, marks.system),
    messages: messages.map(({ role, content }, at) => {
      const isMarked = at === users.at(-1) || (marks.previous && at === users.at(-2))
      return { role, content: isMarked && Array.isArray(content) ? lastMarked(content, marks.end) : content }
    }),
  }
}

const blocksAt = (messages: Conversation['messages'], at: number): Block[] => {
  const content = messages.at(at)?.content
  return Array.isArray(content) ? content : []
}
const old = (conversation: Conversation, type: string, random: Random): Block | undefined => {
  const blocks = conversation.messages.slice(0, -2).flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const found = blocks.filter((block) => block['type'] === type)
  return found[Math.floor(random() * found.length)]
}
const edit = (block: Block | undefined, name: string, random: Random) => {
  if (block === undefined || typeof block[name] !== 'string') return null
  block[name] = `${block[name]} ${randomWords(random, 1)}`
  return {}
}

const CHANGES: Readonly<Record<string, Change>> = {
  model: {
    kinds: ['model_changed'],
    apply: (made) => ((made.model = MODELS.find((name) => name !== made.model) ?? ''), {}),
  },
  'fast mode': { kinds: ['speed_changed'], apply: (made) => ((made.speed = 'fast'), {}) },
  'a beta less': { kinds: ['betas_changed'], apply: ({ betas }) => (betas.pop(), {}) },
  'a beta more': { kinds: ['betas_changed'], apply: ({ betas }) => (betas.push('fine-grained-2026'), {}) },
  'a tool changed': { kinds: ['tools_changed'], apply: ({ tools }, random) => edit(tools[1], 'description', random) },
  'tools in another order': { kinds: ['tools_changed'], apply: ({ tools }) => (tools.reverse(), {}) },
  'a tool more': {
    kinds: ['tools_changed'],
    apply: ({ tools }) => (tools.push({ name: 'mcp__late__one', input_schema: {} }), {}),
  },
  'system text': { kinds: ['system_changed'], apply: ({ system }, random) => edit(system[1], 'text', random) },
  'system end': { kinds: ['system_changed'], apply: ({ system }, random) => edit(system[2], 'text', random) },
  'a system block more': {
    kinds: ['system_changed', 'marks_changed'],
    apply: ({ system }) => (system.push(text('Be brief.')), {}),
  },
  'first reminder': {
    kinds: ['messages_changed'],
    apply: ({ messages }, random) => edit(blocksAt(messages, 0)[0], 'text', random),
  },
  'an old result': {
    kinds: ['messages_changed'],
    apply: (made, random) => edit(old(made, 'tool_result', random), 'content', random),
  },
  'an old answer': {
    kinds: ['messages_changed'],
    apply: (made, random) => edit(old({ ...made, messages: made.messages.slice(1) }, 'text', random), 'text', random),
  },
  'thinking removed': {
    kinds: ['messages_changed'],
    apply(made) {
      let removed = 0
      for (const message of made.messages.slice(0, -2)) {
        if (!Array.isArray(message.content)) continue
        const left = message.content.filter(({ type }) => type !== 'thinking')
        removed += message.content.length - left.length
        message.content = left
      }
      return removed === 0 ? null : {}
    },
  },
  'string for blocks': {
    kinds: ['messages_changed'],
    apply(made) {
      const found = made.messages
        .slice(0, -2)
        .find(({ content }) => Array.isArray(content) && content.length === 1 && content[0]?.['type'] === 'text')
      if (found === undefined || !Array.isArray(found.content)) return null
      found.content = String(found.content[0]?.['text'])
      return {}
    },
  },
  'an image': {
    kinds: ['messages_changed'],
    apply: ({ messages }, random) => (blocksAt(messages, -1).unshift(image(random)), {}),
  },
  'another life': {
    kinds: ['marks_changed'],
    apply({ marks }) {
      if (marks.tools === '5m' || marks.system === '5m') return null
      marks.end = marks.end === '5m' ? '1h' : '5m'
      return {}
    },
  },
  'no mark on the system prompt': {
    kinds: ['marks_changed'],
    apply: ({ marks }) => (marks.system === null ? null : ((marks.system = null), {})),
  },
  'a mark on the message before': {
    kinds: ['marks_changed', 'lookback_exceeded'],
    apply: ({ marks }) => ((marks.previous = !marks.previous), {}),
  },
  'thinking off': { kinds: ['parameters_changed'], apply: (made) => ((made.thinking = { type: 'disabled' }), {}) },
  'a tool choice': { kinds: ['parameters_changed'], apply: (made) => ((made.tool_choice = { type: 'any' }), {}) },
  '25 blocks': {
    kinds: ['lookback_exceeded'],
    apply: ({ messages }, random) => (
      blocksAt(messages, -1).unshift(...Array.from({ length: 25 }, () => text(randomWords(random, 3)))),
      {}
    ),
  },
  '6 minutes': { kinds: ['ttl_expired'], apply: () => ({ waitMs: 360_000 }) },
  '61 minutes': { kinds: ['ttl_expired'], apply: () => ({ waitMs: 3_660_000 }) },
  eviction: { kinds: ['provider'], apply: () => ({ evict: true }) },
}
const NAMES = Object.keys(CHANGES)

interface Sent {
  readonly now: number
  readonly body: SimulatedBody
  readonly betas: readonly string[]
}
const promptOf = ({ input, read, written5m, written1h }: SimulatedUsage) => input + read + written5m + written1h
const leftBy = ({ read, written5m, written1h }: SimulatedUsage) => read + written5m + written1h

/** Returns what a request misses that has only these changes, after the same history. */
function missedBy(names: readonly string[], before: Conversation, sent: readonly Sent[], seed: number): number {
  const simulator = new CacheSimulator(() => 1024)
  let left = 0
  for (const { now, body, betas } of sent) {
    simulator.now = now
    left = leftBy(simulator.send('key', body, betas))
  }
  const changed = structuredClone(before)
  simulator.now = (sent.at(-1)?.now ?? 0) + 20_000
  for (const name of names) {
    const more = CHANGES[name]?.apply(changed, seeded(seed)) ?? null
    simulator.now += more?.waitMs ?? 0
    if (more?.evict === true) simulator.evict()
  }
  const usage = simulator.send('key', bodyOf(changed), changed.betas)
  return Math.min(left, promptOf(usage)) - usage.read
}

test('of several changes at once, one is named that made the request miss', async () => {
  const { store, dbPath, send, simulator } = simulatedSessions(() => 1024)
  const expected = new Map<
    string,
    { readonly names: readonly string[]; readonly kinds: ReadonlySet<string>; readonly missed: number }
  >()
  for (let at = 0; at < runs(60, 1000); at += 1) {
    const random = seeded(SEED + 7000 + at)
    const conversation = begin(random)
    const session = `s${at}`
    const sent: Sent[] = []
    let left = 0
    const ask = async () => {
      const body = structuredClone(bodyOf(conversation))
      sent.push({ now: simulator.now, body, betas: [...conversation.betas] })
      const usage = await send({ session, body, betas: [...conversation.betas] })
      const missed = Math.min(left, promptOf(usage)) - usage.read
      left = leftBy(usage)
      return missed
    }
    for (let turn = 0; turn < 3; turn += 1) {
      await ask()
      goOn(conversation, random)
    }
    const before = structuredClone(conversation)
    const chosen = [
      ...new Set(Array.from({ length: 2 + (at % 2) }, () => NAMES[Math.floor(random() * NAMES.length)] ?? '')),
    ]
    const seed = SEED + at
    const names = chosen.filter((name) => {
      const more = CHANGES[name]?.apply(conversation, seeded(seed)) ?? null
      simulator.now += more?.waitMs ?? 0
      if (more?.evict === true) simulator.evict()
      return more !== null
    })
    const history = sent.slice(-3)
    const missed = await ask()
    const isGuilty = (name: string) => {
      if (missedBy([name], before, history, seed) > 0) return true
      const others = names.filter((other) => other !== name)
      return missedBy(others, before, history, seed) < missed
    }
    const kinds = new Set(names.filter(isGuilty).flatMap((name) => CHANGES[name]?.kinds ?? []))
    // Whether the life decides about an entry is not documented: it is named before the provider is.
    if (kinds.has('provider') && kinds.size === 1 && names.includes('another life')) kinds.add('marks_changed')
    const isUnclear =
      !before.keepsThinking && JSON.stringify(history.at(-1)?.body.messages).includes('"type":"thinking"')
    if (isUnclear && kinds.delete('provider')) kinds.add('unknown')
    expected.set(session, { names, kinds, missed })
    simulator.now += 7_200_000
  }
  const items = reading(dbPath, (reader) => {
    const all = []
    let cursor: string | undefined
    do {
      const page = cacheList(reader, { limit: 500, cursor })
      all.push(...page.items)
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    return all.filter(({ cause }) => cause.kind !== 'first_request')
  })
  const wrong = [...expected].flatMap(([session, { names, kinds, missed }]) => {
    const own = items.filter(({ session_id: id, missed_tokens: tokens }) => id === session && tokens > 0)
    if (missed <= 0)
      return own.length === 0 ? [] : [`${session} ${names.join(' + ')}: blamed without a miss: ${JSON.stringify(own)}`]
    const [found] = own
    if (own.length !== 1 || found === undefined)
      return [`${session} ${names.join(' + ')}: ${missed} missed, ${own.length} found`]
    if (found.missed_tokens !== missed)
      return [`${session} ${names.join(' + ')}: ${missed} missed, ${found.missed_tokens} told`]
    return kinds.has(found.cause.kind)
      ? []
      : [`${session} ${names.join(' + ')}: wants ${[...kinds].join('|')}, got ${JSON.stringify(found.cause)}`]
  })
  expect(wrong).toEqual([])
  store.close()
}, 600_000)
