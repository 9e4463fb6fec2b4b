import { randomWords } from '../../support/store/history.ts'
import type { SimulatedBody } from '../../support/upstream/cache-simulator.ts'

/** Conversations of many shapes: models, marks, lifetimes, kinds of blocks. A plant changes the next request. */

type Block = { [name: string]: unknown }
type Random = () => number

interface Varied {
  model: string
  speed: string | null
  betas: string[]
  tools: Block[]
  /** A plain string has no mark. */
  system: string | Block[]
  messages: { role: string; content: string | Block[] }[]
  parameters: { [name: string]: unknown }
  /** Places of breakpoints, with their lifetimes. What lasts longer comes first. */
  marks: { readonly place: MarkPlace; readonly ttl: '5m' | '1h' }[]
  /** Whether images may be added. */
  readonly hasImages: boolean
}
export type VariedConversation = Varied

const MARK_PLACES = ['tools', 'system', 'turn before', 'end'] as const
type MarkPlace = (typeof MARK_PLACES)[number]

/** USD per million tokens, as published, and the tokens below which nothing is cached. */
export const MODELS: { readonly [model: string]: { readonly input: number; readonly minimum: number } } = {
  'claude-sonnet-4-5': { input: 3, minimum: 1024 },
  'claude-sonnet-4-6': { input: 3, minimum: 1024 },
  'claude-opus-4-5': { input: 5, minimum: 4096 },
  'claude-opus-4-6': { input: 5, minimum: 4096 },
  'claude-opus-4-7': { input: 5, minimum: 4096 },
  'claude-haiku-4-5': { input: 1, minimum: 4096 },
}

export function ratesOf(model: string) {
  const input = MODELS[model]?.input ?? Number.NaN
  return { input, read: input * 0.1, write5m: input * 1.25, write1h: input * 2 }
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('an empty list')
  return found
}
const text = (value: string): Block => ({ type: 'text', text: value })
const base64 = (random: Random, bytes: number) =>
  Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256))).toString('base64')
const image = (random: Random): Block => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: base64(random, 90 + Math.floor(random() * 200)) },
})
const document = (random: Random): Block => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: randomWords(random, 40) },
  title: randomWords(random, 2),
})

const KEEP_THINKING = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] }

/** Whether the API may leave out what these messages thought: nobody is blamed for an entry that is gone then. */
export const mayLoseThinking = ({ parameters, messages }: Pick<Varied, 'parameters' | 'messages'>): boolean =>
  parameters['context_management'] === undefined && JSON.stringify(messages).includes('"type":"thinking"')

export function newConversation(random: Random): Varied {
  const isLong = random() < 0.5
  const chosen = MARK_PLACES.filter((place) => place === 'end' || random() < 0.55)
  // The first of them last an hour.
  const lasting = isLong ? Math.floor(random() * (chosen.length + 1)) : 0
  const marks = chosen.map((place, at) => ({ place, ttl: at < lasting ? ('1h' as const) : ('5m' as const) }))
  const hasSystemMark = chosen.includes('system')
  const hasImages = random() < 0.3
  const first: Block[] = [
    text(`<system-reminder>skills: ${randomWords(random, 60)}</system-reminder>`),
    text(`<system-reminder>CLAUDE.md: ${randomWords(random, 60)}</system-reminder>`),
    ...(random() < 0.3 ? [document(random)] : []),
    ...(hasImages ? [image(random)] : []),
    text(randomWords(random, 20)),
  ]
  return {
    model: pick(random, Object.keys(MODELS)),
    speed: null,
    betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14'],
    tools: Array.from({ length: 4 + Math.floor(random() * 6) }, (_, at) => ({
      name: at % 3 === 2 ? `mcp__server__tool${at}` : `Tool${at}`,
      description: randomWords(random, 120),
      input_schema: { type: 'object', properties: { path: { type: 'string', description: randomWords(random, 4) } } },
    })),
    system:
      !hasSystemMark && random() < 0.4
        ? `You are Claude Code. ${randomWords(random, 3000)}`
        : [
            text('You are Claude Code.'),
            text(`${randomWords(random, 3000)}\ngitStatus: clean`),
            text(randomWords(random, 30)),
          ],
    messages: [{ role: 'user', content: first }],
    parameters: {
      thinking: { type: 'adaptive' },
      ...(random() < 1 / 3 ? {} : { context_management: KEEP_THINKING }),
      ...(random() < 0.3 ? { tool_choice: { type: 'auto' } } : {}),
    },
    marks,
    hasImages,
  }
}

/** The next request: an answer, with or without calls, and what follows it. */
export function goOn(conversation: Varied, random: Random): void {
  const { messages } = conversation
  const calls = random() < 0.6 ? 1 + Math.floor(random() * 3) : 0
  const ids = Array.from({ length: calls }, () => `toolu_${randomWords(random, 2).replace(' ', '')}`)
  messages.push({
    role: 'assistant',
    content: [
      ...(random() < 0.4
        ? [{ type: 'thinking', thinking: randomWords(random, 20), signature: randomWords(random, 5) }]
        : []),
      text(randomWords(random, 20)),
      ...ids.map((id) => ({ type: 'tool_use', id, name: 'Tool0', input: { path: randomWords(random, 1) } })),
    ],
  })
  if (ids.length === 0 && random() < 0.3) {
    // Content as a plain string has no mark, so another message follows it.
    messages.push({ role: 'user', content: randomWords(random, 20) })
  }
  messages.push({
    role: 'user',
    content: [...ids.map((id) => result(conversation, id, random)), text(randomWords(random, 15))],
  })
}

function result({ hasImages }: Varied, id: string, random: Random): Block {
  const nested = [text(randomWords(random, 30)), ...(hasImages && random() < 0.5 ? [image(random)] : [])]
  const content = random() < 0.5 ? randomWords(random, 40) : nested
  return { type: 'tool_result', tool_use_id: id, content, ...(random() < 0.2 ? { is_error: true } : {}) }
}

export function bodyOf({ model, speed, tools, system, messages, parameters, marks }: Varied): SimulatedBody {
  const controlOf = (place: MarkPlace) => {
    const found = marks.find((mark) => mark.place === place)
    if (found === undefined) return null
    return { cache_control: { type: 'ephemeral', ...(found.ttl === '1h' ? { ttl: '1h' } : {}) } }
  }
  const marked = <T extends object>(list: readonly T[], place: MarkPlace): T[] => {
    const control = controlOf(place)
    return list.map((part, at) => (control === null || at < list.length - 1 ? part : { ...part, ...control }))
  }
  const users = messages.flatMap(({ role, content }, at) => (role === 'user' && Array.isArray(content) ? [at] : []))
  const places = new Map<number | undefined, MarkPlace>([
    [users.at(-2), 'turn before'],
    [users.at(-1), 'end'],
  ])
  return {
    model,
    max_tokens: 32_000,
    ...(speed === null ? {} : { speed }),
    ...parameters,
    tools: marked(tools, 'tools'),
    system: typeof system === 'string' ? system : marked(system, 'system'),
    messages: messages.map(({ role, content }, at) => {
      const place = places.get(at)
      return { role, content: place === undefined || typeof content === 'string' ? content : marked(content, place) }
    }),
  }
}

export interface VariedPlant {
  readonly kind: string
  /** Changes the conversation before its first request. */
  readonly begin?: (conversation: Varied) => void
  /** Changes the conversation; returns what else happens before its next request, or null if it cannot be planted in it. */
  readonly plant: (conversation: Varied, random: Random) => { readonly evict?: true; readonly waitMs?: number } | null
}

const NOTHING = {}
const blocksOf = (content: string | Block[] | undefined): Block[] => (Array.isArray(content) ? content : [])
const change = (random: Random, block: Block | undefined, name: string): null | typeof NOTHING => {
  if (block === undefined || typeof block[name] !== 'string') return null
  const value = block[name]
  const at = Math.floor(random() * value.length)
  block[name] = random() < 0.5 ? `${value} ${randomWords(random, 2)}` : `${value.slice(0, at)}-${value.slice(at)}`
  return NOTHING
}
/** A block of messages that the last request had. */
const oldBlock = ({ messages }: Varied, random: Random, type: string): Block | undefined => {
  const all = messages
    .slice(0, -2)
    .flatMap(({ content }) => blocksOf(content).filter((block) => block['type'] === type))
  return all[Math.floor(random() * all.length)]
}
const set = (conversation: Varied, name: string, value: unknown) => {
  if (JSON.stringify(conversation.parameters[name]) === JSON.stringify(value)) return null
  conversation.parameters = { ...conversation.parameters, [name]: value }
  return NOTHING
}
/** A change in the messages only counts behind a mark on them, which all have. */
export const VARIED_PLANTS: { readonly [name: string]: VariedPlant } = {
  'resume moves the skills block': {
    kind: 'messages_changed',
    plant({ messages }) {
      const [first, last] = [blocksOf(messages[0]?.content), blocksOf(messages.at(-1)?.content)]
      if (!JSON.stringify(first[0] ?? null).includes('skills')) return null
      last.unshift(...first.splice(0, 1))
      return NOTHING
    },
  },
  'a string for blocks': {
    kind: 'messages_changed',
    plant({ messages }, random) {
      const plain = messages.slice(0, -2).filter(({ content }) => blocksOf(content).length === 1)
      if (plain.length === 0) return null
      const message = pick(random, plain)
      const [block] = blocksOf(message.content)
      if (typeof block?.['text'] !== 'string') return null
      message.content = block['text']
      return NOTHING
    },
  },
  'a result rendered again': {
    kind: 'messages_changed',
    plant: (conversation, random) => change(random, oldBlock(conversation, random, 'tool_result'), 'content'),
  },
  'a tool rendered again': {
    kind: 'tools_changed',
    plant: ({ tools }, random) => change(random, pick(random, tools), 'description'),
  },
  'keys of a tool reordered': {
    kind: 'tools_changed',
    plant({ tools }, random) {
      const at = Math.floor(random() * tools.length)
      tools.splice(at, 1, Object.fromEntries(Object.entries(tools[at] ?? {}).toReversed()))
      return NOTHING
    },
  },
  'tools in another order': {
    kind: 'tools_changed',
    plant: ({ tools }) => (tools.push(...tools.splice(0, 1)), NOTHING),
  },
  'a tool gone': {
    kind: 'tools_changed',
    plant: ({ tools }, random) =>
      tools.length < 3 ? null : (tools.splice(Math.floor(random() * tools.length), 1), NOTHING),
  },
  'a late MCP server': {
    kind: 'tools_changed',
    plant({ tools }, random) {
      const more = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => ({
        name: `mcp__late${tools.length}__tool${at}`,
        description: randomWords(random, 20),
        input_schema: { type: 'object' },
      }))
      tools.splice(random() < 0.5 ? tools.length : Math.floor(random() * tools.length), 0, ...more)
      return NOTHING
    },
  },
  'git status in the system prompt': {
    kind: 'system_changed',
    plant(conversation, random) {
      if (typeof conversation.system !== 'string') return change(random, conversation.system[1], 'text')
      conversation.system += ` ${randomWords(random, 2)}`
      return NOTHING
    },
  },
  'CLAUDE.md rewritten': {
    kind: 'messages_changed',
    plant: ({ messages }, random) =>
      change(
        random,
        blocksOf(messages[0]?.content).find((block) => JSON.stringify(block).includes('CLAUDE.md')),
        'text',
      ),
  },
  'a pause': {
    kind: 'ttl_expired',
    plant: ({ marks }, random) => ({
      waitMs: (marks.some(({ ttl }) => ttl === '5m') ? 300_000 : 3_600_000) * (1.01 + random() * 3),
    }),
  },
  'a pause in which a tool changed': {
    // What should last for an hour was missed, too.
    kind: 'tools_changed',
    plant({ marks, tools }, random) {
      if (marks[0]?.ttl !== '1h' || marks.at(-1)?.ttl !== '5m') return null
      return change(random, tools[0], 'description') === null ? null : { waitMs: 400_000 }
    },
  },
  'another model': {
    kind: 'model_changed',
    plant(conversation, random) {
      const { minimum } = MODELS[conversation.model] ?? {}
      const others = Object.keys(MODELS).filter((name) => MODELS[name]?.minimum === minimum)
      const fresh = others.filter((name) => name !== conversation.model)
      conversation.model = pick(random, fresh)
      return NOTHING
    },
  },
  'fast mode': {
    kind: 'speed_changed',
    plant(conversation) {
      // Others have another price in fast mode.
      if (!conversation.model.includes('sonnet') || conversation.speed !== null) return null
      conversation.speed = 'fast'
      return NOTHING
    },
  },
  'a beta': {
    kind: 'betas_changed',
    plant: ({ betas }, random) =>
      random() < 0.5 && betas.length > 1
        ? (betas.pop(), NOTHING)
        : (betas.push(`beta-${randomWords(random, 1)}`), NOTHING),
  },
  'marks gone from messages': {
    kind: 'marks_changed',
    plant(conversation) {
      const left = conversation.marks.filter(({ place }) => place === 'tools' || place === 'system')
      if (left.length === 0) return null
      conversation.marks = left
      return NOTHING
    },
  },
  '21 blocks': {
    kind: 'lookback_exceeded',
    plant({ messages, marks }, random) {
      if (marks.some(({ place }) => place === 'turn before')) return null
      const count = 20 + Math.floor(random() * 10)
      if (random() < 0.5) {
        blocksOf(messages.at(-1)?.content).push(...Array.from({ length: count }, () => text(randomWords(random, 4))))
        return NOTHING
      }
      // Parallel calls with their results: a block each.
      const ids = Array.from({ length: count }, () => `toolu_${randomWords(random, 2).replace(' ', '')}`)
      const call = (id: string): Block => ({ type: 'tool_use', id, name: 'Tool0', input: {} })
      blocksOf(messages.at(-2)?.content).push(...ids.map(call))
      const answer = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: randomWords(random, 3) })
      blocksOf(messages.at(-1)?.content).unshift(...ids.map(answer))
      return NOTHING
    },
  },
  'a short prompt': {
    kind: 'below_minimum',
    begin(conversation) {
      conversation.tools = []
      conversation.system = [text('You are Claude Code.')]
      conversation.model = 'claude-opus-4-6'
    },
    plant: ({ tools }) => (tools.length === 0 ? NOTHING : null),
  },
  'evicted by the provider': { kind: 'provider', plant: () => ({ evict: true }) },
  compaction: {
    kind: 'compaction',
    plant({ messages }, random) {
      const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${randomWords(random, 40)}`
      messages.splice(0, messages.length, { role: 'user', content: [text(summary)] })
      return NOTHING
    },
  },
  'thinking switched': {
    kind: 'parameters_changed',
    plant: (conversation) => set(conversation, 'thinking', { type: 'disabled' }),
  },
  'another tool choice': {
    kind: 'parameters_changed',
    plant: (conversation) => set(conversation, 'tool_choice', { type: 'any' }),
  },
  'another effort': {
    kind: 'parameters_changed',
    plant: (conversation, random) => set(conversation, 'output_config', { effort: `e${randomWords(random, 1)}` }),
  },
  'the first image': {
    kind: 'messages_changed',
    plant({ messages }, random) {
      if (JSON.stringify(messages).includes('"type":"image"')) return null
      const last = blocksOf(messages.at(-1)?.content)
      const found = last.find(({ content }) => Array.isArray(content))
      if (found !== undefined) found['content'] = [...blocksOf(found['content'] as Block[]), image(random)]
      else last.unshift(image(random))
      return NOTHING
    },
  },
}
