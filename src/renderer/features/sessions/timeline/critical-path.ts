import type { TimelineItem } from './timeline-items.ts'
import { type Agent, agentKey } from './timeline-rows.ts'

/** The activity during a stretch of the critical path. `agent`: a subagent whose own steps are not loaded. */
export type PathKind = 'model' | 'tool' | 'agent' | 'pause'

/** A stretch of the critical path. Times are ms since 1970. */
export interface PathStep {
  readonly kind: PathKind
  readonly from: number
  readonly to: number
}

/** The chain of steps that decided how long a turn took. Its steps follow each other without gaps. */
export interface CriticalPath {
  /** In order. */
  readonly steps: readonly PathStep[]
  readonly lengthMs: number
  /** The parts of each row that are on the path, by the row's key: items by uuid, agents by `agentKey`. */
  readonly spans: ReadonlyMap<string, { readonly from: number; readonly to: number }>
  /** Agents on the path. */
  readonly agents: readonly string[]
}

interface PathInput {
  /** Items of the turn's main agent. */
  readonly items: readonly TimelineItem[]
  /** Subagents of the turn. */
  readonly agents: readonly Agent[]
  /** Items of the subagents that are loaded, by agent id. */
  readonly ofAgents: ReadonlyMap<string, readonly TimelineItem[]>
}

/** A step that the path may go through. */
interface Candidate {
  readonly key: string
  readonly kind: PathKind
  readonly start: number
  readonly end: number
  /** The message that a call is part of, or that a response contained. */
  readonly messageId: string | null
  readonly agent: string | null
}

/**
 * Finds the critical path of a turn, from its last step back to its start: a call waited for the response that contains
 * it, any other step for the step that ended last before it. A call of a subagent is replaced by the subagent's own
 * path. Time between two steps is a pause, or the model's where no responses were recorded. Returns null if no step
 * took any time.
 */
export function criticalPath({ items: all, agents, ofAgents }: PathInput): CriticalPath | null {
  const items = all.filter(({ isAside }) => !isAside)
  const steps: PathStep[] = []
  const spans = new Map<string, { from: number; to: number }>()
  const onPath = new Set<string>()

  const mark = (key: string, from: number, to: number) => {
    const known = spans.get(key)
    spans.set(key, { from: Math.min(from, known?.from ?? from), to: Math.max(to, known?.to ?? to) })
  }
  const walk = (lane: readonly TimelineItem[], parent: string | null, from: number, to: number): void => {
    const { own, background, hasResponses } = candidatesOf(lane, agents, parent)
    const left = new Set([...own, ...background])
    let current: Candidate | null = null
    for (let at = to; ;) {
      const previous = previousOf(left, current, at)
      const end = previous === null ? from : Math.min(previous.end, at)
      if (end < at) {
        const kind: PathKind = current === null || hasResponses || current.agent !== null ? 'pause' : 'model'
        steps.push({ kind, from: Math.max(from, end), to: at })
      }
      if (previous === null || end <= from) return
      left.delete(previous)
      current = previous
      at = Math.max(from, Math.min(previous.start, end))
      take(previous, at, end)
    }
  }
  const take = (step: Candidate, from: number, to: number): void => {
    mark(step.key, from, to)
    const { agent } = step
    if (agent !== null) {
      mark(agentKey(agent), from, to)
      const inner = ofAgents.get(agent)
      // An agent that calls itself would cause endless recursion.
      if (!onPath.has(agent) && inner !== undefined && inner.length > 0) {
        onPath.add(agent)
        return walk(inner, agent, from, to)
      }
      onPath.add(agent)
    }
    if (to > from) steps.push({ kind: step.kind, from, to })
  }

  const began = Math.min(...items.map(({ start }) => start))
  // An agent that continues in the background after the last step did not delay the turn.
  const ended = Math.max(...candidatesOf(items, agents, null).own.map(({ end }) => end))
  if (!(ended > began)) return null
  walk(items, null, began, ended)
  return { steps: steps.toReversed(), lengthMs: ended - began, spans, agents: [...onPath] }
}

const MODEL_KINDS: ReadonlySet<TimelineItem['kind']> = new Set(['thinking', 'assistant_text', 'tool_call'])

/**
 * Returns the items that can account for an agent's time. Only responses that the transcript shows or that failed are
 * included.
 */
function candidatesOf(lane: readonly TimelineItem[], agents: readonly Agent[], parent: string | null) {
  const shown = new Set(lane.filter(({ kind }) => kind !== 'model_response').map(({ messageId }) => messageId))
  const responses = lane.filter(
    ({ kind, messageId, failed }) =>
      kind === 'model_response' && (failed || (messageId !== null && shown.has(messageId))),
  )
  const answered = new Set(responses.map(({ messageId }) => messageId).filter((id) => id !== null))
  const started = agents.filter(({ parent_agent_id: of }) => of === parent)
  const background = inBackground(started, lane)
  const inCall = started.filter(({ agent_id: id }) => !background.some(({ agent }) => agent === id))
  const byCall = new Map(inCall.map((agent) => [agent.call_id, agent.agent_id]))
  const own = lane.flatMap((item): Candidate[] => {
    const { uuid: key, kind, start, end, messageId, callId } = item
    const agent = callId === null ? null : (byCall.get(callId) ?? null)
    const step = (of: PathKind): Candidate[] => [{ key, kind: of, start, end, messageId, agent }]
    if (kind === 'model_response') return responses.includes(item) ? step('model') : []
    if (kind === 'tool_result') return step(agent === null ? 'tool' : 'agent')
    if (kind === 'compaction') return step('model')
    // A response covers its own blocks.
    return MODEL_KINDS.has(kind) && (messageId === null || !answered.has(messageId)) ? step('model') : []
  })
  return { own, background, hasResponses: responses.length > 0 }
}

/** An agent that runs this much longer than its call does so in the background. */
const BACKGROUND_MS = 1000

function inBackground(agents: readonly Agent[], lane: readonly TimelineItem[]): Candidate[] {
  return agents.flatMap(({ agent_id: agent, call_id: callId, started_at: started, ended_at: ended }) => {
    if (started === null || ended === null) return []
    const call = lane.find((item) => item.callId !== null && item.callId === callId)
    const [start, end] = [Date.parse(started), Date.parse(ended)]
    if (call !== undefined && call.kind === 'tool_result' && end <= call.end + BACKGROUND_MS) return []
    return [{ key: agentKey(agent), kind: 'agent' as const, start, end, messageId: null, agent }]
  })
}

/** A result is recorded with the request that contains it, so it may end this much after the response to it began. */
const SLACK_MS = 100

/** Returns the item that a step with this start had waited for. */
function previousOf(left: ReadonlySet<Candidate>, current: Candidate | null, at: number): Candidate | null {
  let nearest: Candidate | null = null
  for (const one of left) {
    const isOfCurrent = current !== null && one.messageId !== null && one.messageId === current.messageId
    if (isOfCurrent && one.kind === 'model' && current.kind !== 'model' && one.start <= at) return one
    if (one.start <= at && one.end <= at + SLACK_MS && (nearest === null || one.end > nearest.end)) nearest = one
  }
  return nearest
}

/** Sums the time of a path by activity, in ms, longest first. */
export function pathTotals(path: CriticalPath): readonly (readonly [kind: PathKind, durationMs: number])[] {
  const totals = new Map<PathKind, number>()
  for (const { kind, from, to } of path.steps) totals.set(kind, (totals.get(kind) ?? 0) + to - from)
  return [...totals].toSorted(([, one], [, other]) => other - one)
}
