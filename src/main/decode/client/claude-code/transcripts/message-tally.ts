import type { Json, JsonObject } from '../../../../../shared/event.ts'
import type { CacheVerdict } from '../../../../../shared/request-shape.ts'
import { isClientCall, isOpenStop } from '../../../stop-reason.ts'
import { blockParents, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, ownName, type AnyDraft } from '../../../draft.ts'
import { filledString, isObject, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { cacheVerdict, reportsCache } from '../../../cache-verdict.ts'
import { endOfPrintMode } from '../client.ts'
import { lineName } from './line-name.ts'
import { isUniqueId } from '../../../unique-id.ts'
import { partDrafts } from '../../../part-drafts.ts'
import {
  contextTokens,
  fallbackModel,
  iterationsOf,
  mergeUsage,
  omittedParts,
  readUsage,
  totalTokens,
} from '../../../usage.ts'

interface OpenMessage {
  readonly id: string | null
  /** The name of its first line. */
  readonly own: string
  model: string
  /** The name of its last line. */
  base: DraftBase
  usage: JsonObject | null
  /** USD by the client, which versions before 1.0.10 write. */
  clientCost: number | null
  cacheVerdict: CacheVerdict | undefined
  lastIndex: number
  nextIndex: number
  stopReason: string | null
  lastText: string | null
  hasCall: boolean
  /** A tool's result came after its last line. */
  hasResult: boolean
  /** A person interrupted it, or the client asked the model to go on. */
  isCut: boolean
  /** It is the last one of its turn by what came after it: clients up to 2.1.42 write no stop reason. */
  isLast: boolean
  /** The parts reported so far, while more lines may follow. */
  reported: string
  readonly tail: readonly string[]
  readonly end: ReturnType<typeof endOfPrintMode>
  /** Index of each block, by its content. */
  readonly indexes: Map<string, number>
}

/** Begins a message with its first line. */
function openMessage(given: DraftBase, line: JsonObject, tail: readonly string[]): OpenMessage {
  return {
    id: filledString(objectOf(line['message'])['id']),
    own: ownName.transcript(lineName(line)),
    model: 'unknown',
    base: given,
    usage: null,
    clientCost: null,
    cacheVerdict: undefined,
    lastIndex: -1,
    nextIndex: 0,
    stopReason: null,
    lastText: null,
    hasCall: false,
    hasResult: false,
    isCut: false,
    isLast: false,
    reported: '',
    tail,
    end: endOfPrintMode(line),
    indexes: new Map(),
  }
}

/**
 * Combines the repeated facts of one message's lines: usage is on each block's line and is counted once, the last
 * figures; the stop reason ends the turn once. A message is reported when another begins or at the current end of the
 * file.
 */
export function createMessageTally() {
  const open = new Map<string | null, OpenMessage>()
  let last: OpenMessage | null = null

  function close(agentId: string | null, isLast = false): AnyDraft[] {
    const message = open.get(agentId)
    if (!message) return []
    open.delete(agentId)
    message.isLast = isLast && !message.isCut && !message.hasCall
    return tell(message)
  }

  /** Returns nothing if all of it was reported before. */
  function tell(message: OpenMessage): AnyDraft[] {
    const usage = usageDraft(message)
    if (usage.length > 0) last = message
    const reported = JSON.stringify([
      message.usage,
      message.clientCost,
      message.lastIndex,
      message.stopReason,
      message.lastText,
      message.isLast,
    ])
    if (reported === message.reported) return []
    message.reported = reported
    return [...usage, ...turnEnd(message)]
  }

  return {
    /**
     * Takes an assistant line. Returns the base of its drafts, the index of its first block, and the drafts that complete
     * the previous message.
     */
    take(
      given: DraftBase,
      line: JsonObject,
      blocks: readonly Json[],
      tail: readonly string[],
    ): { base: DraftBase; index: number; tail: readonly string[]; drafts: AnyDraft[] } {
      const raw = objectOf(line['message'])
      const content = contentOf(blocks)
      const known = open.get(given.agent_id)
      const isMore = known !== undefined && goesOn(known, line, content)
      const drafts = isMore ? [] : close(given.agent_id)
      const message: OpenMessage = isMore ? known : openMessage(given, line, tail)
      const isRepeated = message.indexes.has(content)
      const index = numberOf(line['apiBlockIndex']) ?? message.indexes.get(content) ?? message.nextIndex
      if (content !== '' && !isRepeated) message.indexes.set(content, index)
      message.base = { ...given, answer: { id: message.id, own: message.own } }
      message.hasResult = false
      message.hasCall ||= blocks.some(isClientCall)
      message.nextIndex = Math.max(message.nextIndex, index + Math.max(1, blocks.length))
      message.lastIndex = Math.max(message.lastIndex, message.nextIndex - 1)
      if (isObject(raw['usage'])) message.usage = laterUsage(message.usage, raw['usage'], isRepeated)
      // Another model may have gone on with the answer: lines with figures are its own, figures and name.
      if (isObject(raw['usage']) || message.usage === null) message.model = filledString(raw['model']) ?? message.model
      message.clientCost = costOf(line) ?? message.clientCost
      message.cacheVerdict = cacheVerdict(raw) ?? message.cacheVerdict
      message.stopReason = stringOf(raw['stop_reason']) ?? message.stopReason
      open.set(given.agent_id, message)
      return { base: message.base, index, tail: message.tail, drafts }
    },
    /** A tool's result or an interruption follows; more of its message may come after it. */
    result(agentId: string | null, isInterruption: boolean): void {
      const message = open.get(agentId)
      if (message) Object.assign(message, { hasResult: true, isCut: message.isCut || isInterruption })
    },
    lastText(agentId: string | null, text: string): void {
      const message = open.get(agentId)
      if (message) message.lastText = text
    },
    /**
     * The message did not end its turn: it was cut off and its stop reason is the client's invention, or a Stop hook refused
     * the end.
     */
    goesOn(agentId: string | null): void {
      const message = open.get(agentId)
      if (message) Object.assign(message, { stopReason: null, isCut: true })
    },
    /** Call when this agent's message is complete: something else follows, which only comes at the end of a turn if `isLast`. */
    close,
    /** Keys of the usage that was reported last. */
    lastUsage: (): readonly string[] =>
      last === null ? [] : [last.own, ...(last.id === null ? [] : [last.id])].map(naturalKey.usage),
    /** At the current end of the file: reports each open message so far and keeps it, since the next line may continue it. */
    tellAll(): AnyDraft[] {
      return [...open.values()].flatMap(tell)
    },
  }
}

/**
 * Returns whether a line continues a message. The id alone does not prove it: a relay may omit ids, or give every
 * message the same one.
 */
function goesOn(message: OpenMessage, line: JsonObject, content: string): boolean {
  const raw = objectOf(line['message'])
  const id = filledString(raw['id'])
  const [known, request] = [message.base.request_id ?? null, filledString(line['requestId'])]
  if (known !== null && request !== null && known !== request) return false
  // A relay numbers short request ids, so they identify no better than the message's id.
  const isNamed = request !== null && request === known && isUniqueId(request)
  // Our own exports omit the message's id from the result of a web search.
  const isInside = id === null && request !== null && request === known && !message.hasResult
  if (id !== message.id && !isInside) return false
  const index = numberOf(line['apiBlockIndex'])
  const isRepeated = !message.hasResult && message.indexes.get(content) === index
  if (index !== null && index < message.nextIndex && !isRepeated) return false
  if (isNamed && !message.hasResult) return true
  const [before, now] = [inputOf(message.usage), inputOf(raw['usage'])]
  if (before > 0 && now > 0 && before !== now) return false
  if (isNamed || index !== null || !message.hasResult) return true
  // The client runs a call while the next one is being written (2.1.29). Such lines have no stop reason yet.
  return before > 0 && message.stopReason === null && content.startsWith('tool_use ')
}

const inputOf = (usage: unknown): number => (isObject(usage) ? contextTokens(readUsage(usage)) : 0)

/**
 * Returns a text that distinguishes a line's only block from others of its message: a resumed session (1.0.51) repeats
 * its last answer.
 */
function contentOf([block, ...others]: readonly Json[]): string {
  if (others.length > 0 || !isObject(block)) return ''
  const says = stringOf(block['id']) ?? stringOf(block['text']) ?? stringOf(block['signature']) ?? ''
  return says === '' ? '' : `${stringOf(block['type'])} ${says}`
}

/** A later line has the later figures, as on the wire. A line written again may have those of the answer's beginning. */
function laterUsage(before: JsonObject | null, after: JsonObject, isRepeated: boolean): JsonObject {
  if (before === null) return after
  const merged = mergeUsage(before, after)
  return isRepeated && totalTokens(readUsage(merged)) < totalTokens(readUsage(before)) ? before : merged
}

/** A cost that no answer has is an error. */
const MAX_COST_USD = 1000

function costOf({ costUSD }: JsonObject): number | null {
  const cost = numberOf(costUSD)
  return cost !== null && cost > 0 && cost < MAX_COST_USD ? cost : null
}

const lastBlock = (message: OpenMessage): readonly string[] =>
  blockParents(message.id ?? message.own, message.lastIndex + 1, message.tail)

function usageDraft(message: OpenMessage): AnyDraft[] {
  const { clientCost } = message
  if (message.usage === null && clientCost === null) return []
  const told = message.usage ?? {}
  const usage = readUsage(told)
  const iterations = iterationsOf(told)
  const cost = clientCost === null ? {} : { client_cost_usd: clientCost }
  const verdict = message.cacheVerdict === undefined ? {} : { cache_verdict: message.cacheVerdict }
  const model = fallbackModel(told) ?? message.model
  const name = message.id ?? message.own
  const [basis, parents] = ['lower_bound' as const, lastBlock(message)]
  return [
    {
      ...message.base,
      kind: 'api_usage',
      payload: {
        message_id: message.id,
        model,
        usage,
        request_kind: message.base.agent_id === null ? null : 'subagent',
        basis,
        ttft_ms: null,
        ...(iterations ? { iterations } : {}),
        ...(reportsCache(told) ? {} : { cache_unreported: true as const }),
        ...verdict,
        ...cost,
      },
      keys: [naturalKey.usage(name)],
      parents,
      sighting: { usage, basis, model, ...(iterations ? { iterations } : {}), ...verdict, ...cost },
    },
    ...partDrafts(message.base, omittedParts(told), { name, model, basis, parents }),
  ]
}

function turnEnd(message: OpenMessage): AnyDraft[] {
  const { stopReason, lastText, base, hasCall, isLast, end } = message
  // The client makes up a stop reason for a message that was cut off: only a message with content ends a turn.
  const isOpen = isOpenStop(stopReason, true, hasCall || null) && !(stopReason === null && isLast)
  if (base.agent_id !== null || isOpen || lastText === null) return []
  return [
    {
      ...base,
      kind: 'turn_ended',
      payload: { reason: stopReason, last_text: lastText, ...end },
      keys: [naturalKey.turnEnd(message.id ?? message.own)],
      text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS },
      parents: lastBlock(message),
    },
  ]
}
