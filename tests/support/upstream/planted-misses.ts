import { randomWords } from '../store/history.ts'
import type { SimulatedBody } from './cache-simulator.ts'

/** A conversation in the shape of Claude Code's requests, whose next request a plant changes. */
export interface Conversation {
  model: string
  speed: string | null
  betas: string[]
  tools: { name: string; description: string }[]
  system: string[]
  /** Content of each message, without marks; a string for a plain one. */
  messages: { role: string; content: string | { type: string; text: string }[] }[]
  /** True if the last message has a breakpoint. */
  marksEnd: boolean
  parameters: { [name: string]: unknown }
  ttl: '5m' | '1h'
}

export interface Plant {
  readonly kind: string
  /** Changes the conversation before its first request. */
  readonly begin?: (conversation: Conversation) => void
  /** Changes the conversation before its next request; returns what else happens first. */
  readonly plant: (conversation: Conversation, random: () => number) => { evict?: true; waitMs?: number } | undefined
}

const block = (text: string) => ({ type: 'text', text })

export function newConversation(random: () => number): Conversation {
  return {
    model: 'claude-sonnet-4-5',
    speed: null,
    betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14'],
    tools: Array.from({ length: 4 + Math.floor(random() * 6) }, (_, at) => ({
      name: `Tool${at}`,
      description: randomWords(random, 100),
    })),
    system: ['You are Claude Code.', `${randomWords(random, 500)}\ngitStatus: clean`],
    messages: [
      {
        role: 'user',
        content: [
          block(`<system-reminder>skills: ${randomWords(random, 60)}</system-reminder>`),
          block(`<system-reminder>CLAUDE.md: ${randomWords(random, 60)}</system-reminder>`),
          block(randomWords(random, 20)),
        ],
      },
    ],
    marksEnd: true,
    parameters: { thinking: { type: 'adaptive' } },
    ttl: random() < 0.5 ? '5m' : '1h',
  }
}

/** The next turn: an answer, then a prompt. */
export function continueConversation(conversation: Conversation, random: () => number, blocks = 1): void {
  conversation.messages.push({ role: 'assistant', content: [block(randomWords(random, 30))] })
  conversation.messages.push({
    role: 'user',
    content: Array.from({ length: blocks }, () => block(randomWords(random, 10 + Math.floor(random() * 30)))),
  })
}

export function bodyOf(conversation: Conversation): SimulatedBody {
  const { model, speed, tools, system, messages, marksEnd, parameters, ttl } = conversation
  const control = { cache_control: { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) } }
  const marked = messages.map(({ role, content }, at) => ({
    role,
    content:
      typeof content === 'string' || at < messages.length - 1 || !marksEnd
        ? content
        : content.map((part, index) => (index === content.length - 1 ? { ...part, ...control } : part)),
  }))
  return {
    model,
    max_tokens: 32_000,
    ...(speed === null ? {} : { speed }),
    ...parameters,
    tools: tools.map((tool) => ({ ...tool, input_schema: { type: 'object' } })),
    system: system.map((text, at) => ({ type: 'text', text, ...(at === system.length - 1 ? control : {}) })),
    messages: marked,
  }
}

const changeText = (text: string, random: () => number) => `${text} ${randomWords(random, 3)}`
const firstBlocks = (conversation: Conversation) => {
  const content = conversation.messages[0]?.content
  return Array.isArray(content) ? content : []
}

/** The causes that are known from the field, each as a change of the next request. */
export const PLANTS: { readonly [name: string]: Plant } = {
  'resume moves the skills block': {
    kind: 'messages_changed',
    plant({ messages }) {
      const [first, last] = [messages[0]?.content, messages.at(-1)?.content]
      if (Array.isArray(first) && Array.isArray(last)) last.unshift(...first.splice(0, 1))
      return undefined
    },
  },
  'a string for blocks': {
    kind: 'messages_changed',
    plant({ messages }) {
      const message = messages.at(-3)
      if (message && Array.isArray(message.content))
        message.content = message.content.map(({ text }) => text).join('\n')
      return undefined
    },
  },
  'a tool rendered again': {
    kind: 'tools_changed',
    plant({ tools }, random) {
      const tool = tools[Math.floor(random() * tools.length)]
      if (tool) tool.description = changeText(tool.description, random)
      return undefined
    },
  },
  'a late MCP server': {
    kind: 'tools_changed',
    plant: ({ tools }, random) => void tools.push({ name: 'mcp__late__tool', description: randomWords(random, 20) }),
  },
  'git status in the system prompt': {
    kind: 'system_changed',
    plant({ system }, random) {
      system[1] = changeText(system[1] ?? '', random)
      return undefined
    },
  },
  'CLAUDE.md rewritten': {
    kind: 'messages_changed',
    plant(conversation, random) {
      const found = firstBlocks(conversation)[1]
      if (found) found.text = changeText(found.text, random)
      return undefined
    },
  },
  'a pause': {
    kind: 'ttl_expired',
    plant: ({ ttl }, random) => ({ waitMs: (ttl === '1h' ? 3_600_000 : 300_000) * (1.01 + random()) }),
  },
  'another model': { kind: 'model_changed', plant: (conversation) => void (conversation.model = 'claude-sonnet-4-6') },
  'fast mode': { kind: 'speed_changed', plant: (conversation) => void (conversation.speed = 'fast') },
  'marks moved': { kind: 'marks_changed', plant: (conversation) => void (conversation.marksEnd = false) },
  '21 blocks': {
    kind: 'lookback_exceeded',
    plant({ messages }, random) {
      const last = messages.at(-1)?.content
      const more = 20 + Math.floor(random() * 10)
      if (Array.isArray(last)) last.push(...Array.from({ length: more }, () => block(randomWords(random, 4))))
      return undefined
    },
  },
  'evicted by the provider': { kind: 'provider', plant: () => ({ evict: true }) },
  compaction: {
    kind: 'compaction',
    plant({ messages }, random) {
      const text = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${randomWords(random, 40)}`
      messages.splice(0, messages.length, { role: 'user', content: [block(text)] })
      return undefined
    },
  },
  'a short prompt': {
    kind: 'below_minimum',
    begin(conversation) {
      conversation.tools = []
      conversation.system = ['You are Claude Code.']
    },
    plant: () => undefined,
  },
  'a beta': { kind: 'betas_changed', plant: ({ betas }) => void betas.push('context-1m-2025-08-07') },
  'thinking switched': {
    kind: 'parameters_changed',
    plant: (conversation) => void (conversation.parameters = { thinking: { type: 'disabled' } }),
  },
}
