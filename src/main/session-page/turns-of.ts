import { compareText } from '../../shared/compare-text.ts'
import type { Exported } from './exported.ts'
import type { PageAgent } from './page-facts.ts'
import { type Payload, settledItem } from './settled-item.ts'

/** A part of the transcript. Calls have their results, agents their own parts, and equal errors in a row are one. */
export type Row =
  | { readonly kind: 'event'; readonly item: Exported; times: number }
  | { readonly kind: 'tool'; readonly item: Exported; readonly result: Exported | null }
  | {
      readonly kind: 'agent'
      readonly id: string
      /** The call that started it, or else its first event. */
      readonly item: Exported
      readonly result: Exported | null
      readonly agent: PageAgent | null
      readonly rows: Row[]
    }

/** A turn with the parts of the transcript that began in it. */
export interface Turn {
  readonly id: number
  readonly rows: Row[]
}

/** Agents within agents are nested this deep; deeper ones follow each other. */
const MAX_DEPTH = 6

const SHOWN: ReadonlySet<string> = new Set([
  'user_prompt',
  'assistant_text',
  'thinking',
  'tool_call',
  'tool_result',
  'compaction',
  'error',
  'notification',
  'guard_action',
])

/** Arranges a session's events into turns, in the order of time. `joined`: turns that belong to the one before. */
export function turnsOf(
  items: readonly Exported[],
  agents: readonly PageAgent[],
  joined: readonly number[],
): readonly Turn[] {
  return new Arrangement(items, agents, new Set(joined)).turns()
}

class Arrangement {
  readonly #items: readonly Exported[]
  readonly #joined: ReadonlySet<number>
  readonly #agents: ReadonlyMap<string, PageAgent>
  readonly #agentOfCall = new Map<unknown, string>()
  readonly #callOfAgent = new Map<string, unknown>()
  readonly #calls = new Set<unknown>()
  readonly #results = new Map<unknown, Exported>()
  readonly #itemsOfAgent = new Map<string, Exported[]>()
  readonly #placed = new Set<string>()
  readonly #turns = new Map<number, Turn>()

  constructor(items: readonly Exported[], agents: readonly PageAgent[], joined: ReadonlySet<number>) {
    // Sorting is stable, so events of one moment keep the order of the log.
    this.#items = items.map(settledItem).toSorted((one, other) => compareText(one.event.ts_wall, other.event.ts_wall))
    this.#joined = joined
    this.#agents = new Map(agents.map((agent) => [agent.agent_id, agent]))
    for (const { agent_id: id, call_id: call } of agents) this.#link(id, call)
    for (const item of this.#items) this.#note(item)
  }

  turns(): readonly Turn[] {
    for (const item of this.#items) {
      const { agent_id: agent } = item.event
      if (agent === null) this.#place(item, this.#rowsOf(item), 0)
      else if (!this.#calls.has(this.#callOfAgent.get(agent))) this.#placeAgent(agent, item, this.#rowsOf(item), 0)
    }
    // Agents that are said to have started each other.
    for (const [id, [first]] of this.#itemsOfAgent) if (first) this.#placeAgent(id, first, this.#rowsOf(first), 0)
    return [...this.#turns.values()].filter(({ rows }) => rows.length > 0).sort((one, other) => one.id - other.id)
  }

  #note(item: Exported): void {
    const { kind, agent_id: agent } = item.event
    const payload: Payload = item.event.payload
    if (kind === 'tool_call') this.#calls.add(payload['call_id'])
    if (kind === 'tool_result') this.#results.set(payload['call_id'], item)
    if (kind === 'agent_started') this.#link(String(payload['agent_id']), payload['call_id'])
    if (agent === null) return
    const own = this.#itemsOfAgent.get(agent)
    if (own === undefined) this.#itemsOfAgent.set(agent, [item])
    else own.push(item)
  }

  #link(agent: string, call: unknown): void {
    if (typeof call !== 'string') return
    this.#agentOfCall.set(call, agent)
    this.#callOfAgent.set(agent, call)
  }

  #rowsOf({ event }: Exported): Row[] {
    // The request that compacts has the turn before the command that asks for it.
    let id = event.kind === 'compaction' ? Math.max(event.turn_id, ...this.#turns.keys()) : event.turn_id
    while (this.#joined.has(id)) id -= 1
    const turn = this.#turns.get(id) ?? { id, rows: [] }
    this.#turns.set(id, turn)
    return turn.rows
  }

  #place(item: Exported, rows: Row[], depth: number): void {
    const { kind } = item.event
    const payload: Payload = item.event.payload
    const call = payload['call_id']
    if (!SHOWN.has(kind) || (kind === 'notification' && payload['level'] !== 'command_output')) return
    if (kind === 'tool_call') {
      const agent = this.#agentOfCall.get(call)
      if (agent !== undefined && !this.#placed.has(agent)) this.#placeAgent(agent, item, rows, depth)
      else rows.push({ kind: 'tool', item, result: this.#results.get(call) ?? null })
    } else if (kind !== 'tool_result' || !this.#calls.has(call)) {
      const last = rows.at(-1)
      if (last?.kind === 'event' && isSameError(last.item, item)) last.times += 1
      else rows.push({ kind: 'event', item, times: 1 })
    }
  }

  #placeAgent(id: string, item: Exported, rows: Row[], depth: number): void {
    if (this.#placed.has(id)) return
    this.#placed.add(id)
    const own: Row[] = []
    const result = this.#results.get(this.#callOfAgent.get(id)) ?? null
    rows.push({ kind: 'agent', id, item, result, agent: this.#agents.get(id) ?? null, rows: own })
    const target = depth < MAX_DEPTH ? own : rows
    for (const one of this.#itemsOfAgent.get(id) ?? []) this.#place(one, target, depth + 1)
  }
}

function isSameError(one: Exported, other: Exported): boolean {
  const message = ({ event }: Exported): unknown => (event.payload as Payload)['message']
  return one.event.kind === 'error' && other.event.kind === 'error' && message(one) === message(other)
}

/** Returns a prompt of a person; null for other events, and for prompts that the client wrote. */
export function promptText(item: Exported): string | null {
  if (item.event.kind !== 'user_prompt') return null
  const { text, not_a_prompt: byClient }: Payload = item.event.payload
  return byClient === true || typeof text !== 'string' ? null : text
}

/** Returns the prompt that began a turn. */
export function titleOf({ rows, id }: Turn): string {
  for (const row of rows) {
    const text = row.kind === 'event' ? promptText(row.item)?.trim() : undefined
    if (text) return text
  }
  return id === 0 ? 'Before the first prompt' : `Turn ${id}`
}
