import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { isTakenBack, settled } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import type { CalledTool } from './called-tool.ts'
import { failuresOf } from './failures.ts'
import { isUndated } from './time-basis.ts'
import type { UsageFacts, UsageFactsOf } from './usage-facts.ts'

/** An event's counts, settled from its sightings. Sums use nothing else of an event. */
export interface Fact {
  /** It has only its file's time, and is in no time range. */
  readonly isUndated: boolean
  readonly counts: EventCounts
  readonly usage: UsageFacts | null
  readonly tool: ToolCounts | null
}

/** The columns that sums by session, turn and model have in common. */
export interface EventCounts {
  readonly prompts: number
  readonly tool_calls: number
  readonly thinking_blocks: number
  readonly errors: number
  readonly api_errors: number
  readonly failed_tools: number
}

/** A call, or the outcome of one. */
interface ToolCounts {
  readonly name: string
  readonly calls: number
  readonly succeeded: number
  readonly failed: number
  readonly timed: number
  readonly duration_ms: number
  readonly rejected: number
}

/** Counts nothing. */
export const NO_COUNTS: EventCounts = {
  prompts: 0,
  tool_calls: 0,
  thinking_blocks: 0,
  errors: 0,
  api_errors: 0,
  failed_tools: 0,
}
const PROMPT: EventCounts = { ...NO_COUNTS, prompts: 1 }
const CALL: EventCounts = { ...NO_COUNTS, tool_calls: 1 }
const THOUGHT: EventCounts = { ...NO_COUNTS, thinking_blocks: 1 }
const OWN_ERROR: EventCounts = { ...NO_COUNTS, errors: 1 }
const API_ERROR: EventCounts = { ...OWN_ERROR, api_errors: 1 }
const FAILED_TOOL: EventCounts = { ...NO_COUNTS, failed_tools: 1 }

/**
 * Durations are rounded to this part of a millisecond. Doubles on such a grid add up exactly (up to four years), so a
 * total does not depend on how its parts were grouped, and a rebuild produces the same bits.
 */
const GRID_MS = 2 ** -16

export type FactOf = (event: AnyEvent, sightings: readonly Sighting[]) => Fact

/** Creates a function that settles what an event counts as with these sightings. */
export function createFactOf(usageFacts: UsageFactsOf, calledTool: CalledTool): FactOf {
  return (event, sightings) => {
    const known = event.kind === 'tool_result' ? settled(event, sightings) : event
    return {
      isUndated: isUndated(event, sightings),
      counts: countsOf(known, sightings),
      usage: event.kind === 'api_usage' ? usageFacts(event, sightings) : null,
      tool: toolOf(event, known),
    }
  }

  function toolOf(event: AnyEvent, known: AnyEvent): ToolCounts | null {
    const none = { calls: 0, succeeded: 0, failed: 0, timed: 0, duration_ms: 0, rejected: 0 }
    if (event.kind === 'tool_call') return { ...none, name: event.payload.tool_name, calls: 1 }
    if (event.kind !== 'tool_result' || known.kind !== 'tool_result') return null
    // The tool as first reported: no later sighting moves a result to another one.
    return { ...none, name: calledTool(event), ...outcomeOf(known) }
  }
}

function countsOf(event: AnyEvent, sightings: readonly Sighting[]): EventCounts {
  switch (event.kind) {
    case 'user_prompt':
      return isTakenBack(sightings) ? NO_COUNTS : PROMPT
    case 'tool_call':
      return CALL
    case 'thinking':
      return event.payload.text === '' ? NO_COUNTS : THOUGHT
    case 'error':
      return failuresOf(event, sightings).api_errors > 0 ? API_ERROR : OWN_ERROR
    case 'tool_result':
      return failuresOf(event).failed_tools > 0 ? FAILED_TOOL : NO_COUNTS
    default:
      return NO_COUNTS
  }
}

function outcomeOf({ payload, success: told, duration_ms: duration }: AspyEvent<'tool_result'>) {
  const success = payload.is_error || payload.rejected ? false : (told ?? true)
  return {
    succeeded: Number(success),
    failed: Number(!success),
    timed: Number(duration !== null),
    duration_ms: Math.round((duration ?? 0) / GRID_MS) * GRID_MS,
    rejected: Number(payload.rejected),
  }
}
