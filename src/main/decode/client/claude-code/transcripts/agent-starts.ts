import type { JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { agentStartedDraft, askedType } from '../agents.ts'
import { callWithPrompt, type CallMemory } from './call-memory.ts'

/** Reports each agent's start once, with the first of its lines. */
export class AgentStarts {
  readonly #meta: JsonObject
  readonly #calls: CallMemory
  readonly #started = new Set<string>()

  /** `meta`: the metadata file next to an agent's own file. */
  constructor(meta: unknown, calls: CallMemory) {
    this.#meta = isObject(meta) ? meta : {}
    this.#calls = calls
  }

  /**
   * Returns the start of the line's agent if this is its first line. `startedBy`: the call that a progress line names.
   */
  of(line: JsonObject, base: DraftBase, startedBy: string | null = null): AnyDraft[] {
    const agentId = base.agent_id
    if (agentId === null || this.#started.has(agentId)) return []
    this.#started.add(agentId)
    const asked = textOfUser(line)
    const named = startedBy !== null && this.#calls.has(startedBy) ? startedBy : null
    const callId =
      filledString(this.#meta['toolUseId']) ?? named ?? (asked === null ? null : callWithPrompt(this.#calls, asked))
    const input = callId === null ? undefined : this.#calls.get(callId)?.input
    return [
      agentStartedDraft(base, {
        id: agentId,
        type: filledString(this.#meta['agentType']) ?? filledString(line['attributionAgent']) ?? askedType(input),
        parentAgentId: filledString(this.#meta['parentAgentId']),
        callId,
      }),
    ]
  }
}

/** The first text of a user line. */
export function textOfUser(line: JsonObject): string | null {
  const { content } = objectOf(line['message'])
  if (typeof content === 'string') return content
  return stringOf(objectOf(listOf(content).find((block) => isObject(block) && block['type'] === 'text'))['text'])
}
