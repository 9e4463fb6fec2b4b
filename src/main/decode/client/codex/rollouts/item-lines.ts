import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { filledString, isObject, stringOf } from '../../../../../shared/json-fields.ts'
import type { HashText } from '../../../media.ts'
import { toolResultDraft } from '../../../tool-result.ts'
import { asBlocks, callOf, resultCallId, typeOf, type ItemCall } from '../../../wire/openai-responses/items.ts'
import { codexKey } from '../identity.ts'
import { diffOfPatch, patchIn } from '../../../../../shared/apply-patch.ts'
import { planDraft } from '../plan.ts'
import { toolOutcome } from '../tool-output.ts'
import { CallOutcomes } from './call-outcomes.ts'
import { SILENT_ITEMS } from './event-types.ts'
import { OpenResponses, UNNAMED, type ClosedResponse } from './open-responses.ts'
import { PromptLines } from './prompt-lines.ts'
import { promptDraft, saidInItem, type SaidByUser } from './prompts.ts'
import { remember } from './remembered.ts'
import type { RolloutLine } from './rollout-line.ts'
import type { RolloutThread } from './rollout-thread.ts'

/** A line with its known facts. */
export interface KnownLine {
  readonly line: RolloutLine
  readonly base: DraftBase
  readonly turn: string | null
  /** Null for a copy: its time is not the original's. */
  readonly lineKey: string | null
  readonly isCopy: boolean
}

/**
 * Decodes the items of a thread: prompts, answers, calls and results, each with the item that it follows as its parent.
 */
export class ItemLines {
  readonly outcomes = new CallOutcomes()
  readonly prompts = new PromptLines()
  readonly #thread: RolloutThread
  readonly #hash: HashText
  readonly #responses: OpenResponses
  readonly #calls = new Map<string, ItemCall>()
  /** Parents of the next item: the last prompt or result, or the last item of an answer. */
  #tail: readonly string[] = []

  constructor(thread: RolloutThread, hash: HashText) {
    this.#thread = thread
    this.#hash = hash
    this.#responses = new OpenResponses(hash)
  }

  get tail(): readonly string[] {
    return this.#tail
  }

  take(known: KnownLine, turn: string): readonly AnyDraft[] {
    const item = withCallId(known.line.payload, turn)
    const type = typeOf(item)
    if (SILENT_ITEMS.has(type)) return []
    if (type === 'message' && item['role'] !== 'assistant') return this.#message(known, turn)
    const answered = resultCallId(item)
    if (answered !== null) return this.#result(known, answered)
    const call = callOf(item)
    if (call !== null) {
      remember(this.#calls, call.callId, call)
      this.outcomes.call(call.callId)
    }
    return this.#responses.take(known.turn ?? UNNAMED, { base: known.base, item, lineKey: known.lineKey }, this.#tail)
  }

  /** Ends the answer of a turn; `responseId` is null if nothing names it. */
  close(turn: string, responseId: string | null): ClosedResponse {
    const closed = this.#responses.close(turn, responseId)
    if (closed.drafts.length === 0) return { ...closed, lastKeys: this.#tail }
    this.#tail = closed.lastKeys
    return closed
  }

  closeAll(): readonly AnyDraft[] {
    return this.#responses.closeAll()
  }

  prompt(known: KnownLine, turn: string, said: SaidByUser): readonly AnyDraft[] {
    // An agent's input is the input of a call, which its parent's file has.
    if (known.base.agent_id !== null) return []
    const { base, lineKey, isCopy } = known
    const before = this.#responses.close(turn, null).drafts
    const turnId = turn === '' ? null : turn
    const draft = promptDraft(base, said, { turnId, branch: this.#thread.branch, lineKey, isCopy })
    this.#tail = draft.keys.slice(0, 1)
    return [...before, draft]
  }

  #message(known: KnownLine, turn: string): readonly AnyDraft[] {
    const found = saidInItem(known.line.payload, this.#hash)
    if (found === null) return []
    const said = this.prompts.item(turn, found.said, found.isSure || known.line.isBare || known.isCopy)
    return said === null ? [] : this.prompt(known, turn, said)
  }

  #result(known: KnownLine, callId: string): readonly AnyDraft[] {
    const { base, lineKey } = known
    const item = known.line.payload
    const held = this.#responses.closeWithCall(callId)
    const output = contentOf(item)
    const parsed = toolOutcome(output)
    const outcome = this.outcomes.of(callId)
    const call = this.#calls.get(callId) ?? null
    const isError = outcome?.isError ?? (parsed.isError || isFailure(item))
    const id = filledString(item['id'])
    const draft = toolResultDraft(
      base,
      {
        callId,
        toolName: call?.tool ?? null,
        content: asBlocks(output),
        isError,
        denialKind: outcome?.isRejected || parsed.isRejected ? 'user' : null,
        detail: (isError ? null : diffOf(call)) ?? outcome?.detail,
        durationMs: outcome?.durationMs ?? parsed.durationMs,
      },
      this.#hash,
      { parents: [codexKey.call(base.session_id, callId)] },
    )
    const itemKeys = codexKey.items(id)
    const key = codexKey.result(base.session_id, callId)
    this.#tail = [key]
    return [
      ...held,
      { ...draft, keys: [key, ...itemKeys, ...(itemKeys.length === 0 && lineKey !== null ? [lineKey] : [])] },
      ...(isError ? [] : planDraft(base, call)),
    ]
  }
}

/**
 * Before 0.150, calls that the API answers itself have no id. One made from the turn and the content is the same in a fork's
 * copy.
 */
function withCallId(item: JsonObject, turn: string): JsonObject {
  if (filledString(item['id']) !== null || callOf({ ...item, id: 'unnamed' })?.isServerSide !== true) return item
  const digest = createHash('sha256')
    .update(`${turn}\0${JSON.stringify(item)}`)
    .digest('hex')
  return { ...item, id: `unnamed_${digest.slice(0, 32)}` }
}

/** The change that a patch made. */
function diffOf(call: ItemCall | null): JsonObject | null {
  if (call?.tool !== 'apply_patch') return null
  const given = patchIn(call.input)
  return given === null ? null : diffOfPatch(given)
}

/** Content of a result: a text, parts of a content, or the tools that a search found. */
function contentOf(item: JsonObject): Json {
  const output = item['output'] ?? item['tools'] ?? ''
  if (!isObject(output)) return output
  return output['content'] ?? output['body'] ?? output
}

function isFailure(item: JsonObject): boolean {
  const { output } = item
  return (isObject(output) && output['success'] === false) || stringOf(item['status']) === 'failed'
}
