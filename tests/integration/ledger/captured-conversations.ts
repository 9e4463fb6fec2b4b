import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'vitest'
import { randomWords } from '../../support/store/history.ts'

/** A request as Claude Code sent it, whose next request a plant changes. */
export type Fields = { [name: string]: unknown }
type Message = { role: string; content: string | Fields[]; [name: string]: unknown }
export interface Conversation {
  body: Fields & { system: Fields[]; tools: Fields[]; messages: Message[] }
  betas: string[]
  /** The API key that asks. */
  key: string
}
export type Random = () => number

const FILE = join(import.meta.dirname, '../../fixtures/requests/claude-code-2.1.332.json')
const [FIRST] = JSON.parse(readFileSync(FILE, 'utf8')) as readonly { betas: string; body: Conversation['body'] }[]
/** USD per million tokens of `claude-opus-5-5`, as published. */
export const RATES = { input: 4, read: 0.2, write5m: 5, write1h: 8 }
export const MARK = { cache_control: { type: 'ephemeral' } }
export const SECRET = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

export const text = (value: string): Fields => ({ type: 'text', text: value })
export const blocksOf = (message: Message | undefined): Fields[] =>
  Array.isArray(message?.content) ? message.content : []

export function newConversation(random: Random): Conversation {
  const { body, betas } = structuredClone(FIRST ?? assert.fail('no request'))
  body.system = body.system.map((part, at) => (at === 2 ? { ...part, text: randomWords(random, 900) } : part))
  body.messages = body.messages.map((message) => ({
    ...message,
    content: blocksOf(message).map((block) => ({
      ...block,
      text: `${String(block['text'])} ${randomWords(random, 60)}`,
    })),
  }))
  return { body, betas: betas.split(','), key: 'sk-ant-usual' }
}

const unmarked = (block: Fields): Fields =>
  Object.fromEntries(Object.entries(block).filter(([name]) => name !== 'cache_control'))

/** As the client goes on: the mark moves to the newest message, and the system message becomes a string. */
export function goOn({ body }: Conversation, random: Random, blocks = 1): void {
  body.messages = body.messages.map((message) =>
    message.role === 'system' && typeof message.content !== 'string'
      ? { ...message, content: String(message.content[0]?.['text']) }
      : message.role === 'user' && typeof message.content !== 'string'
        ? { ...message, content: blocksOf(message).map(unmarked) }
        : message,
  )
  const ids = Array.from(
    { length: random() < 0.5 ? blocks : 0 },
    () => `toolu_${randomWords(random, 2).replace(' ', '')}`,
  )
  const thinking = random() < 0.5 ? [{ type: 'thinking', thinking: '', signature: randomWords(random, 9) }] : []
  const calls = ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: randomWords(random, 3) } }))
  body.messages.push({ role: 'assistant', content: [...thinking, ...(calls.length > 0 ? calls : [text('Done.')])] })
  const results = ids.map((id) => ({
    tool_use_id: id,
    type: 'tool_result',
    content: randomWords(random, 50),
    is_error: false,
  }))
  const more = Array.from({ length: blocks }, () => text(randomWords(random, 40)))
  const content: Fields[] = results.length > 0 ? results : more
  body.messages.push({
    role: 'user',
    content: content.map((block, at) => (at < content.length - 1 ? block : { ...block, ...MARK })),
  })
}

export interface Plant {
  /** null: nothing is missed. */
  readonly kind: string | null
  readonly detail?: string
  readonly waitMs?: number
  readonly evict?: true
  /** A request in between that Aspy does not see the answer of. */
  readonly lose?: true
  readonly begin?: (conversation: Conversation) => void
  readonly change?: (conversation: Conversation, random: Random) => void
}
const says = (block: Fields | undefined, value: string, name = 'text') => {
  if (block === undefined) assert.fail('no block')
  block[name] = value
}
const set =
  (name: string, value: unknown) =>
  ({ body }: Conversation) => {
    Object.assign(body, { [name]: value })
  }
const FORMAT = { effort: 'medium', format: { type: 'json_schema', schema: {} } }
const DEFERRED: Fields = { name: 'mcp__late__one', input_schema: {}, defer_loading: true }
const withSecret = ({ body }: Conversation) => says(blocksOf(body.messages[0])[0], `my key is ${SECRET}`)
const inFuture = { waitMs: 3_600_001 }

export const PLANTS: Readonly<Record<string, Plant>> = {
  nothing: { kind: null },
  'lost by the API': { kind: 'provider', evict: true },
  'another description of itself, lost': {
    kind: 'provider',
    evict: true,
    change: ({ body }) => says(body.system[0], 'x-anthropic-billing-header: cc_version=2.1.332.9; cch=12345;'),
  },
  'fewer tokens allowed, lost': { kind: 'provider', evict: true, change: set('max_tokens', 4096) },
  'another account, lost': {
    kind: 'unknown',
    detail: 'metadata',
    evict: true,
    change: set('metadata', { user_id: 'b' }),
  },
  ...Object.fromEntries(
    Object.entries({ temperature: 0.2, top_p: 0.5, stop_sequences: ['x'], service_tier: 'auto' }).map(
      ([name, value]): [string, Plant] => [
        `another ${name}, lost`,
        { kind: 'unknown', detail: name, evict: true, change: set(name, value) },
      ],
    ),
  ),
  'another key of another organization': {
    kind: 'unknown',
    detail: 'another account or key',
    change: (it) => void (it.key = 'sk-ant-other'),
  },
  'the system prompt as a string': {
    kind: 'system_changed',
    change: ({ body }) => Object.assign(body, { system: body.system.map((part) => part['text']).join('') }),
  },
  'the keys of a call in another order': {
    kind: 'messages_changed',
    begin: ({ body }) =>
      body.messages.push({
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_keys', name: 'Bash', input: { a: 1, b: 2 } }],
      }),
    change({ body }) {
      body.messages = body.messages.map((message) => ({
        ...message,
        content:
          typeof message.content === 'string'
            ? message.content
            : message.content.map((it) => (it['id'] === 'toolu_keys' ? { ...it, input: { b: 2, a: 1 } } : it)),
      }))
    },
  },
  'a server of the connector, lost': {
    kind: 'unknown',
    detail: 'mcp_servers',
    evict: true,
    change: set('mcp_servers', [{ type: 'url', url: 'https://zoo.example', name: 'zoo' }]),
  },
  'a container, lost': { kind: 'unknown', detail: 'container', evict: true, change: set('container', 'c1') },
  'a secret in the beginning, lost': {
    kind: 'unknown',
    detail: 'a secret was removed',
    evict: true,
    begin: withSecret,
  },
  'a secret in the beginning, and another temperature, lost': {
    kind: 'unknown',
    detail: 'temperature',
    evict: true,
    begin: withSecret,
    change: set('temperature', 0.2),
  },
  'an answer of which nothing is known, lost': { kind: 'unknown', detail: 'not captured', evict: true, lose: true },
  'a pause of less than the lifetime': { kind: null, waitMs: 240_000 },
  'a pause': { kind: 'ttl_expired', waitMs: 300_001 },
  'a long pause': { kind: 'ttl_expired', ...inFuture },
  'a long pause, and a tool': {
    kind: 'ttl_expired',
    ...inFuture,
    change: ({ body }, random) => says(body.tools[0], randomWords(random, 9), 'description'),
  },
  'a tool': {
    kind: 'tools_changed',
    change: ({ body }, random) => says(body.tools[1], randomWords(random, 9), 'description'),
  },
  'a tool of a late server': {
    kind: 'tools_changed',
    change: ({ body }, random) => body.tools.push({ name: `mcp__late__${randomWords(random, 1)}`, input_schema: {} }),
  },
  'a deferred tool of a late server': { kind: null, change: ({ body }) => body.tools.unshift({ ...DEFERRED }) },
  'a deferred tool that is gone, lost': {
    kind: 'provider',
    evict: true,
    begin: ({ body }) => body.tools.unshift({ ...DEFERRED }),
    change({ body }) {
      body.tools = body.tools.filter((tool) => !('defer_loading' in tool))
    },
  },
  'a deferred tool that is loaded': {
    kind: 'tools_changed',
    begin: ({ body }) => body.tools.unshift({ ...DEFERRED }),
    change: ({ body }) => body.tools.splice(0, 1, { name: 'mcp__late__one', input_schema: {} }),
  },
  'a mark on the last tool, behind a deferred one, lost': {
    kind: 'provider',
    evict: true,
    begin({ body }) {
      body.tools = body.tools.map((tool, at) => (at < body.tools.length - 1 ? tool : { ...tool, ...MARK }))
      body.tools.unshift({ ...DEFERRED })
    },
  },
  'an hour for the setup, five minutes for the rest': {
    kind: 'ttl_expired',
    waitMs: 300_001,
    begin({ body }) {
      body.system = body.system.map((part) =>
        'cache_control' in part ? { ...part, cache_control: { type: 'ephemeral', ttl: '1h' } } : part,
      )
    },
  },
  'the keys of a schema in another order': {
    kind: 'tools_changed',
    begin: ({ body }) => Object.assign(body.tools[0] ?? {}, { input_schema: { type: 'object', properties: {} } }),
    change: ({ body }) => Object.assign(body.tools[0] ?? {}, { input_schema: { properties: {}, type: 'object' } }),
  },
  'a budget for thinking, lost': {
    kind: 'parameters_changed',
    evict: true,
    change: set('thinking', { type: 'enabled', budget_tokens: 9000 }),
  },
  'edits of the context, lost': {
    kind: 'parameters_changed',
    evict: true,
    change: set('context_management', { edits: [{ type: 'clear_tool_uses_20250919' }] }),
  },
  'the same betas in another order, lost': {
    kind: 'provider',
    evict: true,
    change: ({ betas }) => betas.reverse(),
  },
  'a tool that is gone': { kind: 'tools_changed', change: ({ body }) => body.tools.splice(0, 1) },
  'tools in another order': { kind: 'tools_changed', change: ({ body }) => body.tools.reverse() },
  'the first part of the system prompt': {
    kind: 'system_changed',
    change: ({ body }, random) => says(body.system[1], randomWords(random, 9)),
  },
  'the last part of the system prompt': {
    kind: 'system_changed',
    change: ({ body }, random) => says(body.system[3], randomWords(random, 9)),
  },
  'a part of the system prompt in two blocks': {
    kind: 'system_changed',
    detail: 'the same length of text in other blocks: 1 → 2',
    change({ body }) {
      const whole = String(body.system[1]?.['text'])
      body.system.splice(1, 1, text(whole.slice(0, 9)), text(whole.slice(9)))
    },
  },
  'a marked part of the system prompt in two blocks': {
    kind: 'system_changed',
    detail: 'the same length of text in other blocks: 1 → 2',
    change({ body }) {
      const [whole, ...rest] = body.system.slice(2)
      const words = String(whole?.['text'])
      body.system.splice(2, 2, text(words.slice(0, 90)), { ...whole, text: words.slice(90) }, ...rest)
    },
  },
  'a part of the system prompt that is gone': {
    kind: 'system_changed',
    change: ({ body }) => body.system.splice(1, 1),
  },
  'another scope': {
    kind: 'marks_changed',
    evict: true,
    change: ({ body }) => Object.assign(body.system[2] ?? {}, MARK),
  },
  'no mark at the end': {
    kind: 'marks_changed',
    change({ body }) {
      for (const message of body.messages) for (const block of blocksOf(message)) delete block['cache_control']
    },
  },
  'instructions in the first message': {
    kind: 'messages_changed',
    change: ({ body }, random) => says(blocksOf(body.messages[0])[0], `<system-reminder>${randomWords(random, 9)}`),
  },
  'a reminder that moved behind another': {
    kind: 'messages_changed',
    change: ({ body }) => blocksOf(body.messages[0]).reverse(),
  },
  'the environment': {
    kind: 'messages_changed',
    change({ body }, random) {
      body.messages = body.messages.map((it) =>
        it.role === 'system' ? { ...it, content: randomWords(random, 50) } : it,
      )
    },
  },
  'the effort of the environment': {
    kind: 'messages_changed',
    change({ body }) {
      body.messages = body.messages.map((it) =>
        it.role === 'system' ? { ...it, output_config: { effort: 'low' } } : it,
      )
    },
  },
  'no environment': {
    kind: 'messages_changed',
    change({ body }) {
      body.messages = body.messages.filter(({ role }) => role !== 'system')
    },
  },
  'an old result': {
    kind: 'messages_changed',
    begin: ({ body }) =>
      blocksOf(body.messages[0]).push({ type: 'tool_result', tool_use_id: 'toolu_0', content: 'long' }),
    change: ({ body }) => says(blocksOf(body.messages[0]).at(-1), '[cleared]', 'content'),
  },
  'the first image': {
    kind: 'messages_changed',
    change({ body }) {
      const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
      blocksOf(body.messages.at(-1)).unshift({ type: 'image', source })
    },
  },
  'another effort': { kind: 'parameters_changed', change: set('output_config', { effort: 'low' }) },
  'an output format': { kind: 'parameters_changed', change: set('output_config', FORMAT) },
  'another output format': {
    kind: 'parameters_changed',
    begin: set('output_config', FORMAT),
    change: set('output_config', { format: { type: 'json_schema', schema: { type: 'object' } } }),
  },
  'no output format': {
    kind: 'parameters_changed',
    begin: set('output_config', FORMAT),
    change: set('output_config', { effort: 'medium' }),
  },
  'an output format that stays': { kind: null, begin: set('output_config', FORMAT) },
  'no thinking': { kind: 'parameters_changed', change: set('thinking', { type: 'disabled' }) },
  'a tool that must be called': { kind: 'parameters_changed', change: set('tool_choice', { type: 'any' }) },
  'another model': { kind: 'model_changed', change: set('model', 'claude-sonnet-4-5') },
  'fast mode': { kind: 'speed_changed', change: set('speed', 'fast') },
  'a beta': { kind: 'betas_changed', change: ({ betas }) => betas.push('fresh-2026-11-27') },
  'many results at once': {
    kind: 'lookback_exceeded',
    change: (conversation, random) => addBlocks(conversation, random),
  },
  compaction: {
    kind: 'compaction',
    change({ body }, random) {
      const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${randomWords(random, 40)}`
      body.messages = [{ role: 'user', content: [{ ...text(summary), ...MARK }] }]
    },
  },
}

function addBlocks({ body }: Conversation, random: Random): void {
  blocksOf(body.messages.at(-1)).unshift(...Array.from({ length: 25 }, () => text(randomWords(random, 4))))
}
