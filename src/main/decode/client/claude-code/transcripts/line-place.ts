import type { JsonObject } from '../../../../../shared/event.ts'
import { naturalKey } from '../../../draft.ts'
import { filledString } from '../../../../../shared/json-fields.ts'

/**
 * Number of lines that are remembered by uuid; a parent further back than this is not found, and a fallback is used.
 */
const MAX_LINES = 100_000

/** The place of a line: its session and agent, and the parent of an answer to it. */
export interface LinePlace {
  readonly agentId: string | null
  /** Keys of the last tool result or prompt up the chain of `parentUuid`, best first. */
  readonly tail: readonly string[]
  /** The session that the line names. */
  readonly sessionId?: string | null
}

/** The place of lines that name none. */
export const NOWHERE: LinePlace = { agentId: null, tail: [] }

/** The places of a file's lines. */
export type LinePlaces = ReturnType<typeof createLinePlaces>

/**
 * Follows `parentUuid` from line to line. Each line takes its parent's place, so no walk is needed, and cycles and
 * missing lines are harmless. `logicalParentUuid` may point anywhere and is not followed.
 */
export function createLinePlaces(fileAgentId: string | null) {
  const places = new Map<string, LinePlace>()
  const latest = new Map<string | null, readonly string[]>()

  return {
    /** Returns the place of a line, derived from its parent; `settle` then tells which events the line became. */
    of(line: JsonObject): LinePlace {
      const uuid = filledString(line['uuid'])
      const parentUuid = filledString(line['parentUuid'])
      const parent = parentUuid === null ? undefined : places.get(parentUuid)
      const agentId = fileAgentId ?? filledString(line['agentId']) ?? sidechainAgent(line, parent, uuid)
      const tail =
        parent && parent.agentId === agentId ? parent.tail : (latest.get(agentId) ?? unknownTail(parentUuid, agentId))
      return { agentId, tail, sessionId: filledString(line['sessionId']) }
    },
    /** Returns the session of an earlier line; null if the line is not known. */
    sessionOf: (uuid: string): string | null => places.get(uuid)?.sessionId ?? null,
    /** Remembers the line. `tail` is set if the line itself is the parent of answers. */
    settle(line: JsonObject, place: LinePlace, tail?: readonly string[]): void {
      const settled = tail === undefined ? place : { ...place, tail }
      if (tail !== undefined) latest.set(place.agentId, tail)
      const uuid = filledString(line['uuid'])
      if (uuid === null) return
      places.set(uuid, settled)
      const eldest = places.keys().next()
      if (places.size > MAX_LINES && !eldest.done) places.delete(eldest.value)
    },
  }
}

/**
 * If the parent is not known (an agent's first line, a file read from the middle), tries its key and the agent's start.
 */
const unknownTail = (parentUuid: string | null, agentId: string | null): readonly string[] => [
  ...(parentUuid === null ? [] : [naturalKey.line(parentUuid)]),
  ...(agentId === null ? [] : [naturalKey.agentStart(agentId)]),
]

/** Older clients wrote subagents into the main file, as side chains without an agent id: the chain's root names them. */
function sidechainAgent(line: JsonObject, parent: LinePlace | undefined, uuid: string | null): string | null {
  if (line['isSidechain'] !== true) return null
  return parent?.agentId ?? `sidechain-${(uuid ?? 'unnamed').slice(0, 36)}`
}

/** Reads the session from a path: `<session>.jsonl`, or `<session>/subagents/agent-<id>.jsonl`. */
export function sessionOfPath(path: string | undefined): string | null {
  if (path === undefined) return null
  const parts = path.split(/[\\/]/)
  const folder = parts.lastIndexOf('subagents')
  const name = folder > 0 ? parts[folder - 1] : parts.at(-1)?.replace(/\.jsonl$/, '')
  return filledString(name)
}
