import type { AnyEvent, AspyEvent } from '../../../../shared/event.ts'

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
  | { readonly type: 'compaction'; readonly event: AspyEvent<'compaction'>; readonly depth: number }
  | { readonly type: 'error'; readonly event: AspyEvent<'error'>; readonly depth: number }
  | {
      readonly type: 'agent'
      readonly event: AnyEvent
      readonly agentId: string
      readonly name: string
      readonly events: number
      readonly open: boolean
      readonly ended: boolean
      readonly depth: number
    }
  | { readonly type: 'mark'; readonly event: AnyEvent; readonly depth: number }

/**
 * Turns sorted events into the rows of a transcript. Results join their calls. Each agent has one row at its start, and
 * its events follow if `openAgents` contains it.
 */
export function transcriptRows(events: readonly AnyEvent[], openAgents: ReadonlySet<string>): TranscriptRow[] {
  const results = new Map<string, AspyEvent<'tool_result'>>()
  const calls = new Set<string>()
  const byAgent = new Map<string, AnyEvent[]>()
  for (const event of events) {
    if (event.kind === 'tool_result') results.set(event.payload.call_id, event)
    if (event.kind === 'tool_call') calls.add(event.payload.call_id)
    if (event.agent_id === null) continue
    const own = byAgent.get(event.agent_id)
    if (own) own.push(event)
    else byAgent.set(event.agent_id, [event])
  }

  const rows: TranscriptRow[] = []
  const placed = new Set<string>()

  function place(event: AnyEvent, within: string | null, depth: number): void {
    if (event.agent_id !== within && event.agent_id !== null) return placeAgent(event.agent_id, depth)
    switch (event.kind) {
      case 'user_prompt':
        rows.push({ type: 'prompt', event, depth })
        break
      case 'thinking':
        rows.push({ type: 'thinking', event, depth })
        break
      case 'assistant_text':
        rows.push({ type: 'answer', event, depth })
        break
      case 'tool_call':
        rows.push({ type: 'tool', event, result: results.get(event.payload.call_id) ?? null, depth })
        break
      case 'tool_result':
        // A result whose call is on another page has its own row.
        if (!calls.has(event.payload.call_id)) rows.push({ type: 'mark', event, depth })
        break
      case 'compaction':
        rows.push({ type: 'compaction', event, depth })
        break
      case 'error':
        rows.push({ type: 'error', event, depth })
        break
      case 'agent_started':
      case 'agent_ended':
        break
      default:
        rows.push({ type: 'mark', event, depth })
    }
  }

  function placeAgent(agentId: string, depth: number): void {
    if (placed.has(agentId)) return
    placed.add(agentId)
    const own = byAgent.get(agentId) ?? []
    const first = own[0]
    if (!first) return
    const started = own.find((event) => event.kind === 'agent_started')
    const open = openAgents.has(agentId)
    rows.push({
      type: 'agent',
      event: first,
      agentId,
      name: started?.kind === 'agent_started' ? (started.payload.agent_type ?? 'agent') : 'agent',
      events: own.filter((event) => event.kind !== 'agent_started' && event.kind !== 'agent_ended').length,
      open,
      ended: own.some((event) => event.kind === 'agent_ended'),
      depth,
    })
    if (open) for (const event of own) place(event, agentId, depth + 1)
  }

  for (const event of events) place(event, null, 0)
  return rows
}

/** Returns the row that contains an event, or −1. */
export function rowOfEvent(rows: readonly TranscriptRow[], uuid: string): number {
  return rows.findIndex((row) => row.event.uuid === uuid || (row.type === 'tool' && row.result?.uuid === uuid))
}
