import type { JsonObject } from '../../../../../shared/event.ts'
import { plainVersion } from '../../client-fact.ts'
import { filledString, isObject, numberOf, objectOf } from '../../../../../shared/json-fields.ts'
import { codexPlace } from '../identity.ts'

/** The thread whose rollout is read. Ids of Codex are bare UUIDs here; ours have a prefix. */
export interface RolloutThread {
  readonly threadId: string
  /** Ours. */
  readonly sessionId: string
  /** Ours; null for the main thread. */
  readonly agentId: string | null
  /** The thread that started this one as its subagent. */
  readonly parentThreadId: string | null
  /** The thread whose lines this file begins with. */
  readonly forkedFrom: string | null
  /** Ordinal of the first line that is not copied, if the file gives it. */
  readonly ownFrom: number | null
  readonly agentType: string | null
  readonly version: string | null
  readonly project: string | null
  readonly branch: string | null
  readonly startedAt: string | null
}

/**
 * Reads `session_meta`. Before 0.150 it does not name the session of a subagent: `sessionOfThread` looks up its parent's.
 * @param named thread of the file's name, for a line without an id
 */
export function rolloutThread(
  meta: JsonObject,
  named: string | null,
  sessionOfThread: (threadId: string) => string | null = () => null,
): RolloutThread | null {
  const threadId = filledString(meta['id']) ?? named ?? filledString(meta['session_id'])
  if (threadId === null) return null
  const { source } = meta
  const spawn = objectOf(objectOf(objectOf(source)['subagent'])['thread_spawn'])
  const isSubagent = isObject(source) && source['subagent'] !== undefined
  const spawnedBy = filledString(spawn['parent_thread_id']) ?? filledString(meta['parent_thread_id'])
  const parentThreadId = isSubagent || meta['thread_source'] === 'subagent' ? spawnedBy : null
  const session =
    filledString(meta['session_id']) ??
    (parentThreadId === null ? threadId : (sessionOfThread(parentThreadId) ?? parentThreadId))
  const place = codexPlace(session, threadId)
  if (place === null) return null
  return {
    threadId,
    ...place,
    parentThreadId,
    forkedFrom: filledString(meta['forked_from_id']),
    ownFrom: numberOf(meta['subagent_history_start_ordinal']) ?? numberOf(meta['forked_from_ordinal_exclusive']),
    agentType: agentTypeOf(meta, spawn) ?? kindOfSubagent(source),
    version: plainVersion(filledString(meta['cli_version'])),
    project: filledString(meta['cwd']),
    branch: filledString(objectOf(meta['git'])['branch']),
    startedAt: filledString(meta['timestamp']),
  }
}

/** The role of a subagent, or else its name in the tree of agents: `/root/reviewer`. */
function agentTypeOf(meta: JsonObject, spawn: JsonObject): string | null {
  const role = filledString(meta['agent_role']) ?? filledString(spawn['agent_role'])
  const path = filledString(meta['agent_path']) ?? filledString(spawn['agent_path'])
  return role ?? nameInPath(path) ?? filledString(meta['agent_nickname']) ?? filledString(spawn['agent_nickname'])
}

export const nameInPath = (path: string | null): string | null =>
  path?.split('/').findLast((part) => part !== '') ?? null

/** A subagent that the client starts for its own purposes: `review`, `compact`. */
function kindOfSubagent(source: unknown): string | null {
  const { subagent } = objectOf(source)
  return filledString(subagent) ?? filledString(objectOf(subagent)['other'])
}
