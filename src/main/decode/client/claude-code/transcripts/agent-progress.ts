import { hash } from 'node:crypto'
import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../../shared/json-fields.ts'

/** Lines of agents that are remembered, so that a repeated one counts once. */
const MAX_SEEN = 50_000

/**
 * Reads the `progress` lines in which clients 2.0.64 to 2.1.42 repeat the messages of their agents. They count only for
 * an agent that has no lines elsewhere.
 */
export class AgentProgress {
  readonly #hasOwnLines: (agentId: string) => boolean
  readonly #seen = new Set<string>()

  constructor(hasOwnLines: (agentId: string) => boolean) {
    this.#hasOwnLines = hasOwnLines
  }

  /** Returns the agent's lines that a progress line repeats for the first time, oldest first. */
  linesOf(line: JsonObject): readonly JsonObject[] {
    const data = objectOf(line['data'])
    const agentId = filledString(data['agentId'])
    if (data['type'] !== 'agent_progress' || agentId === null || this.#hasOwnLines(agentId)) return []
    // `message` is the newest line. Texts of an agent are in `normalizedMessages` only.
    return [...listOf(data['normalizedMessages']), data['message']]
      .filter(isObject)
      .filter((nested) => this.#isNew(agentId, nested))
      .map((nested) => ({
        ...nested,
        agentId,
        isSidechain: true,
        parentUuid: null,
        sessionId: line['sessionId'] ?? null,
        timestamp: filledString(nested['timestamp']) ?? line['timestamp'] ?? null,
        cwd: line['cwd'] ?? null,
        version: line['version'] ?? null,
      }))
  }

  /** Recognized by message and content, since the copies of a line have different uuids. */
  #isNew(agentId: string, nested: JsonObject): boolean {
    const { id = null, role = null, content = null } = objectOf(nested['message'])
    const key = hash('sha256', JSON.stringify([agentId, id, role, content]), 'base64')
    if (this.#seen.has(key)) return false
    if (this.#seen.size < MAX_SEEN) this.#seen.add(key)
    return true
  }
}
