import type { Json, JsonObject } from '../../../../../shared/event.ts'
import type { CacheVerdict } from '../../../../../shared/request-shape.ts'
import { isOpenStop } from '../../../stop-reason.ts'
import { blockParents, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { isObject, numberOf, objectOf, stringOf } from '../../../json-access.ts'
import { cacheVerdict, reportsCache } from '../../../cache-verdict.ts'
import { iterationsOf, readUsage, totalTokens } from '../../../usage.ts'

interface OpenMessage {
  readonly id: string
  readonly model: string
  base: DraftBase
  usage: JsonObject | null
  cacheVerdict: CacheVerdict | undefined
  lastIndex: number
  nextIndex: number
  stopReason: string | null
  lastText: string | null
  /** What was reported of it so far, while more lines may follow. */
  told: string
  readonly tail: readonly string[]
  /** Index of each block, by its content. */
  readonly indexes: Map<string, number>
}

/**
 * Gathers what the lines of one message repeat: usage is on each block's line and is counted once, the largest
 * figure; the stop reason ends the turn once. A message is reported when another begins or at the current end of the file.
 */
export function createMessageTally() {
  const open = new Map<string | null, OpenMessage>()
  let lastMessageId: string | null = null

  function close(agentId: string | null): AnyDraft[] {
    const message = open.get(agentId)
    if (!message) return []
    open.delete(agentId)
    return tell(message)
  }

  /** Returns nothing if all of it was reported before. */
  function tell(message: OpenMessage): AnyDraft[] {
    const usage = usageDraft(message)
    if (usage.length > 0) lastMessageId = message.id
    const told = JSON.stringify([message.usage, message.lastIndex, message.stopReason, message.lastText])
    if (told === message.told) return []
    message.told = told
    return [...usage, ...turnEnd(message)]
  }

  return {
    /**
     * Takes an assistant line. Returns the index of its first block and the drafts that complete the previous message.
     */
    take(
      base: DraftBase,
      line: JsonObject,
      blocks: readonly Json[],
      tail: readonly string[],
    ): { index: number; tail: readonly string[]; drafts: AnyDraft[] } {
      const raw = objectOf(line['message'])
      const id = stringOf(raw['id']) ?? ''
      const known = open.get(base.agent_id)
      const drafts = known && known.id !== id ? close(base.agent_id) : []
      const message: OpenMessage =
        known && known.id === id
          ? known
          : {
              id,
              model: stringOf(raw['model']) ?? 'unknown',
              base,
              usage: null,
              cacheVerdict: undefined,
              lastIndex: -1,
              nextIndex: 0,
              stopReason: null,
              lastText: null,
              told: '',
              tail,
              indexes: new Map(),
            }
      const index = numberOf(line['apiBlockIndex']) ?? indexOfRepeated(message, blocks) ?? message.nextIndex
      message.base = base
      message.nextIndex = Math.max(message.nextIndex, index + Math.max(1, blocks.length))
      message.lastIndex = Math.max(message.lastIndex, message.nextIndex - 1)
      if (isObject(raw['usage']) && larger(raw['usage'], message.usage)) message.usage = raw['usage']
      message.cacheVerdict = cacheVerdict(raw) ?? message.cacheVerdict
      message.stopReason = stringOf(raw['stop_reason']) ?? message.stopReason
      open.set(base.agent_id, message)
      return { index, tail: message.tail, drafts }
    },
    lastText(agentId: string | null, text: string): void {
      const message = open.get(agentId)
      if (message) message.lastText = text
    },
    /** The message was cut, and the client asks the model to continue: its stop reason was made up by the client. */
    goesOn(agentId: string | null): void {
      const message = open.get(agentId)
      if (message) message.stopReason = null
    },
    /** Call when this agent's message is complete, that is, when something else follows. */
    close,
    /** The message whose usage was reported last; null before the first. */
    lastMessageId: () => lastMessageId,
    /** At the current end of the file: reports each open message so far and keeps it, since the next line may continue it. */
    tellAll(): AnyDraft[] {
      return [...open.values()].flatMap(tell)
    },
  }
}

/**
 * Returns the index of a line's only block if the message already had it: a resumed session (1.0.51) repeats its last
 * answer.
 */
function indexOfRepeated(message: OpenMessage, blocks: readonly Json[]): number | null {
  const [block, ...others] = blocks
  if (others.length > 0 || !isObject(block)) return null
  const says = stringOf(block['id']) ?? stringOf(block['text']) ?? stringOf(block['signature']) ?? ''
  if (says === '') return null
  const key = `${stringOf(block['type'])} ${says}`
  const known = message.indexes.get(key)
  if (known === undefined) message.indexes.set(key, message.nextIndex)
  return known ?? null
}

function larger(usage: JsonObject, than: JsonObject | null): boolean {
  return than === null || totalTokens(readUsage(usage)) > totalTokens(readUsage(than))
}

function lastBlock(message: OpenMessage): readonly string[] {
  return blockParents(message.id, message.lastIndex + 1, message.tail)
}

function usageDraft(message: OpenMessage): AnyDraft[] {
  if (message.usage === null || message.id === '') return []
  const usage = readUsage(message.usage)
  const iterations = iterationsOf(message.usage)
  const verdict = message.cacheVerdict === undefined ? {} : { cache_verdict: message.cacheVerdict }
  return [
    {
      ...message.base,
      kind: 'api_usage',
      payload: {
        message_id: message.id,
        model: message.model,
        usage,
        request_kind: message.base.agent_id === null ? null : 'subagent',
        basis: 'lower_bound',
        ttft_ms: null,
        ...(iterations ? { iterations } : {}),
        ...(reportsCache(message.usage) ? {} : { cache_unreported: true as const }),
        ...verdict,
      },
      keys: [naturalKey.usage(message.id)],
      parents: lastBlock(message),
      sighting: { usage, basis: 'lower_bound', model: message.model, ...verdict },
    },
  ]
}

function turnEnd(message: OpenMessage): AnyDraft[] {
  const { stopReason, lastText, base } = message
  // The client makes up a stop reason for a cut message: only a message with content ends a turn.
  if (base.agent_id !== null || isOpenStop(stopReason, true) || message.id === '' || lastText === null) return []
  return [
    {
      ...base,
      kind: 'turn_ended',
      payload: { reason: stopReason, last_text: lastText },
      keys: [naturalKey.turnEnd(message.id)],
      ...(lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }),
      parents: lastBlock(message),
    },
  ]
}
