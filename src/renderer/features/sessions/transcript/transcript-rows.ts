import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { AnyEvent, AspyEvent } from '../../../../shared/event.ts'

export type SessionAgent = OperationOutput<'agents.list'>['items'][number]

/** A row of a transcript. `depth` is the number of agents around it. */
export type TranscriptRow =
  | { readonly type: 'prompt'; readonly event: AspyEvent<'user_prompt'>; readonly depth: number }
  | { readonly type: 'thinking'; readonly event: AspyEvent<'thinking'>; readonly depth: number }
  | { readonly type: 'answer'; readonly event: AspyEvent<'assistant_text'>; readonly depth: number }
  | {
      readonly type: 'tool'
      readonly event: AspyEvent<'tool_call'>
      readonly result: AspyEvent<'tool_result'> | null
      readonly depth: number
    }
  | {
      /** Calls in a row that only read, folded into one. */
      readonly type: 'run'
      /** The first of them. */
      readonly event: AspyEvent<'tool_call'>
      readonly calls: readonly Extract<TranscriptRow, { type: 'tool' }>[]
      readonly open: boolean
      readonly depth: number
    }
  | { readonly type: 'compaction'; readonly event: AspyEvent<'compaction'>; readonly depth: number }
  | { readonly type: 'error'; readonly event: AspyEvent<'error'>; readonly depth: number }
  | {
      readonly type: 'agent'
      /** The call that started it, or else its first event. */
      readonly event: AnyEvent
      readonly call: AspyEvent<'tool_call'> | null
      /** The result of that call. */
      readonly result: AspyEvent<'tool_result'> | null
      /** Other events that the row represents. */
      readonly also: readonly string[]
      readonly agentId: string
      /** Its entry in the session's list of agents; null while that is loading. */
      readonly agent: SessionAgent | null
      readonly name: string
      readonly events: number
      readonly open: boolean
      readonly ended: boolean
      readonly depth: number
    }
  | { readonly type: 'mark'; readonly event: AnyEvent; readonly depth: number }

/** Facts about a session's agents that the loaded events lack. */
export interface KnownAgents {
  readonly open: ReadonlySet<string>
  readonly list: readonly SessionAgent[]
}

/**
 * Turns sorted events into the rows of a transcript. Results join their calls. An agent has one row, which replaces the
 * call that started it, and its events follow if it is open.
 */
export function transcriptRows(events: readonly AnyEvent[], agents: KnownAgents): TranscriptRow[] {
  const rows = new TranscriptRows(events, agents)
  return rows.build()
}

class TranscriptRows {
  readonly #events: readonly AnyEvent[]
  readonly #open: ReadonlySet<string>
  readonly #agents: ReadonlyMap<string, SessionAgent>
  readonly #results = new Map<string, AspyEvent<'tool_result'>>()
  readonly #calls = new Set<string>()
  readonly #eventsOfAgents = new Map<string, AnyEvent[]>()
  /** Calls that start an agent, both ways. */
  readonly #callOfAgent = new Map<string, string>()
  readonly #agentOfCall = new Map<string, string>()
  readonly #placed = new Set<string>()
  readonly #rows: TranscriptRow[] = []

  constructor(events: readonly AnyEvent[], { open, list }: KnownAgents) {
    this.#events = events
    this.#open = open
    this.#agents = new Map(list.map((agent) => [agent.agent_id, agent]))
    for (const { agent_id: agent, call_id: call } of list) if (call !== null) this.#link(agent, call)
    for (const event of events) {
      if (event.kind === 'tool_result') this.#results.set(event.payload.call_id, event)
      if (event.kind === 'tool_call') this.#calls.add(event.payload.call_id)
      if (event.kind === 'agent_started' && event.payload.call_id !== null)
        this.#link(event.payload.agent_id, event.payload.call_id)
      if (event.agent_id === null) continue
      const own = this.#eventsOfAgents.get(event.agent_id)
      if (own) own.push(event)
      else this.#eventsOfAgents.set(event.agent_id, [event])
    }
  }

  build(): TranscriptRow[] {
    for (const event of this.#events) this.#place(event, null, 0)
    return this.#rows
  }

  #link(agent: string, call: string): void {
    this.#callOfAgent.set(agent, call)
    this.#agentOfCall.set(call, agent)
  }

  #place(event: AnyEvent, within: string | null, depth: number): void {
    if (event.agent_id !== within && event.agent_id !== null) {
      const call = this.#callOfAgent.get(event.agent_id)
      // An agent whose call is loaded has its row there.
      if (call === undefined || !this.#calls.has(call)) this.#placeAgent(event.agent_id, event, null, depth)
      return
    }
    switch (event.kind) {
      case 'user_prompt':
        this.#rows.push({ type: 'prompt', event, depth })
        break
      case 'thinking':
        this.#rows.push({ type: 'thinking', event, depth })
        break
      case 'assistant_text':
        this.#rows.push({ type: 'answer', event, depth })
        break
      case 'tool_call': {
        const agent = this.#agentOfCall.get(event.payload.call_id)
        if (agent !== undefined) this.#placeAgent(agent, event, event, depth)
        else this.#rows.push({ type: 'tool', event, result: this.#results.get(event.payload.call_id) ?? null, depth })
        break
      }
      case 'tool_result':
        // A result whose call is on another page has its own row.
        if (!this.#calls.has(event.payload.call_id)) this.#rows.push({ type: 'mark', event, depth })
        break
      case 'compaction':
        this.#rows.push({ type: 'compaction', event, depth })
        break
      case 'error':
        this.#rows.push({ type: 'error', event, depth })
        break
      case 'agent_started':
      case 'agent_ended':
        break
      default:
        this.#rows.push({ type: 'mark', event, depth })
    }
  }

  #placeAgent(agentId: string, event: AnyEvent, call: AspyEvent<'tool_call'> | null, depth: number): void {
    if (this.#placed.has(agentId)) return
    this.#placed.add(agentId)
    const own = this.#eventsOfAgents.get(agentId) ?? []
    const started = own.find(({ kind }) => kind === 'agent_started')
    const ended = own.find(({ kind }) => kind === 'agent_ended')
    const result = call === null ? undefined : this.#results.get(call.payload.call_id)
    const open = this.#open.has(agentId)
    this.#rows.push({
      type: 'agent',
      event,
      call,
      result: result ?? null,
      also: [started, ended, result].flatMap((one) => (one === undefined ? [] : [one.uuid])),
      agentId,
      agent: this.#agents.get(agentId) ?? null,
      name: started?.kind === 'agent_started' ? (started.payload.agent_type ?? 'agent') : 'agent',
      events: own.filter((one) => one !== started && one !== ended).length,
      open,
      ended: ended !== undefined,
      depth,
    })
    if (open) for (const one of own) this.#place(one, agentId, depth + 1)
  }
}

/** Returns the row that contains an event, or −1. */
export function rowOfEvent(rows: readonly TranscriptRow[], uuid: string): number {
  return rows.findIndex((row) => {
    // The calls of an open run have rows of their own.
    if (row.type === 'run') return !row.open && rowOfEvent(row.calls, uuid) >= 0
    const also = row.type === 'agent' ? row.also : row.type === 'tool' ? [row.result?.uuid] : []
    return row.event.uuid === uuid || also.includes(uuid)
  })
}

/** Returns an agent and the agents around it. */
export function withParents(agentId: string | null, list: readonly SessionAgent[]): readonly string[] {
  const chain: string[] = []
  let next = agentId
  while (next !== null && !chain.includes(next)) {
    chain.push(next)
    next = list.find(({ agent_id }) => agent_id === next)?.parent_agent_id ?? null
  }
  return chain
}
