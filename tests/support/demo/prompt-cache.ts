import type { CacheVerdict, RequestShape, ShapeBlock, ShapeMessage } from '../../../src/shared/request-shape.ts'
import type { Random } from '../../../src/main/base/fixtures/random.ts'

/** Facts about a request's conversation for the cache. */
export interface CachedLine {
  readonly agentId: string | null
  readonly model: string
  readonly messages: number
}

/** The shape of a request, and whether the cache had its beginning. */
export interface CachedRequest {
  readonly shape: RequestShape
  readonly isHit: boolean
  readonly ttl: '5m' | '1h'
  /** The API's own reason, for the misses that it explains. */
  readonly verdict: Pick<CacheVerdict, 'type'> | null
}

interface State {
  readonly id: string
  tools: string[]
  system: number
  firstMessage: number
  effort: 'medium' | 'high'
  betas: string[]
  /** Compactions so far. */
  epoch: number
  /** Messages of the last request. */
  messages: number
  last: string | null
  sentAt: number
}

const TOOLS = ['Agent', 'Bash', 'Edit', 'Glob', 'Grep', 'Read', 'WebFetch', 'Write']
const LATE_TOOLS = ['mcp__tracker__list_issues', 'mcp__tracker__get_issue', 'mcp__docs__search', 'mcp__docs__open']
const CHANGES = [
  'tools_changed',
  'system_changed',
  'messages_changed',
  'parameters_changed',
  'betas_changed',
  'provider',
]
const NAMED_BY_THE_API = new Set(['tools_changed', 'system_changed', 'messages_changed'])
const MISS_CHANCE = 0.04
const TTL_MS = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const

/** Plays the prompt cache of the API: entries expire, and now and then a request changes what precedes its new messages. */
export class DemoCache {
  readonly #random: Random
  readonly #states = new WeakMap<CachedLine, State>()

  constructor(random: Random) {
    this.#random = random
  }

  /** Takes the next request of a conversation, sent at `now` (ms since 1970). */
  send(line: CachedLine, uuid: string, now: number): CachedRequest {
    const state = this.#stateOf(line)
    const ttl = line.agentId === null && !line.model.includes('sonnet') ? '1h' : '5m'
    const isFirst = state.last === null
    const isCompacted = line.messages + 1 < state.messages
    if (isCompacted) state.epoch += 1
    const isExpired = now - state.sentAt > TTL_MS[ttl]
    const isSteady = isFirst || isCompacted || isExpired
    const change = !isSteady && this.#random.chance(MISS_CHANCE) ? this.#random.pick(CHANGES) : null
    if (change !== null) this.#change(state, change)
    const shape = shapeOf(state, line.messages + 1, ttl, isCompacted || change !== null)
    state.messages = line.messages + 1
    state.last = uuid
    state.sentAt = now
    return {
      shape,
      isHit: !isSteady && change === null,
      ttl,
      verdict: change !== null && NAMED_BY_THE_API.has(change) ? { type: change } : null,
    }
  }

  #stateOf(line: CachedLine): State {
    const known = this.#states.get(line)
    if (known !== undefined) return known
    const state: State = {
      id: this.#random.hex(8),
      tools: [...TOOLS],
      system: 0,
      firstMessage: 0,
      effort: 'medium',
      betas: ['claude-code-20250219'],
      epoch: 0,
      messages: 0,
      last: null,
      sentAt: 0,
    }
    this.#states.set(line, state)
    return state
  }

  #change(state: State, change: string): void {
    if (change === 'tools_changed') {
      const late = LATE_TOOLS.find((name) => !state.tools.includes(name))
      state.tools = late === undefined ? state.tools.slice(0, TOOLS.length) : [...state.tools, late]
    } else if (change === 'system_changed') state.system += 1
    else if (change === 'messages_changed') state.firstMessage += 1
    else if (change === 'parameters_changed') state.effort = state.effort === 'medium' ? 'high' : 'medium'
    else if (change === 'betas_changed') {
      const beta = 'context-management-2025-06-27'
      state.betas = state.betas.includes(beta)
        ? state.betas.filter((name) => name !== beta)
        : [...state.betas, beta].sort()
    }
  }
}

/** Builds the shape as a difference to the last request, or complete if something before its end has changed. */
function shapeOf(state: State, messages: number, ttl: '5m' | '1h', isChanged: boolean): RequestShape {
  const isWhole = isChanged || state.last === null
  const keep = isWhole ? 0 : Math.min(messages, state.messages)
  const mark = { type: 'ephemeral', ttl }
  return {
    base: isWhole ? null : state.last,
    keep,
    add: Array.from({ length: messages - keep }, (_, index) => messageAt(state, keep + index)),
    ...(isWhole ? { system: systemOf(state), tools: state.tools.map(toolBlock) } : {}),
    marks: { '/system/1': mark, [`/messages/${messages - 1}/content/${messages === 1 ? 1 : 0}`]: mark },
    betas: state.betas,
    speed: null,
    parameters: { effort: state.effort },
    previous_message: null,
    asks_why: true,
  }
}

/** A conversation of prompts, calls with their results, and answers, one block each; instructions precede the first prompt. */
function messageAt({ id, epoch, firstMessage }: State, index: number): ShapeMessage {
  const hash = `demo ${id} message ${epoch} ${index}`
  const step = Math.floor(index / 2)
  const isUser = index % 2 === 0
  if (index === 0) return { role: 'user', blocks: [instructions(id, epoch, firstMessage), textBlock(hash)] }
  if (step % STEPS_A_PROMPT === 0) return { role: isUser ? 'user' : 'assistant', blocks: [textBlock(hash)] }
  const call = `demo ${id} ${epoch} ${isUser ? index - 1 : index}`
  const used = isUser ? step - 1 : step
  if (used % STEPS_A_PROMPT === 0) return { role: 'user', blocks: [textBlock(hash)] }
  if (isUser)
    return { role: 'user', blocks: [{ hash, kind: 'tool_result', bytes: 400 + ((index * 797) % 6000), call }] }
  const tool = CALLED_TOOLS[used % CALLED_TOOLS.length] ?? 'Read'
  const name = tool === 'Bash' ? {} : { name: FILES[used % FILES.length] ?? '' }
  return { role: 'assistant', blocks: [{ hash, kind: 'tool_use', bytes: 180, tool, call, ...name }] }
}

const STEPS_A_PROMPT = 6
const CALLED_TOOLS = ['Read', 'Bash', 'Edit', 'Read']
const FILES = ['src/parser.ts', 'src/orbit/elements.ts', 'README.md', 'src/cache.ts', 'package.json']

const textBlock = (hash: string): ShapeBlock => ({ hash, kind: 'text', bytes: 1200 })

const instructions = (id: string, epoch: number, version: number): ShapeBlock => ({
  hash: `demo ${id} instructions ${epoch} ${version}`,
  kind: 'text',
  bytes: 5200 + version * 40,
  origin: 'claude_md',
  name: 'CLAUDE.md',
})

function systemOf({ id, system }: State): ShapeBlock[] {
  return [
    { hash: 'demo system identity', kind: 'text', bytes: 60 },
    { hash: `demo ${id} system ${system}`, kind: 'text', bytes: 14_200 + system * 30 },
  ]
}

function toolBlock(tool: string): ShapeBlock {
  return { hash: `demo tool ${tool}`, kind: 'tool', bytes: 900, tool }
}
