import type { Json, JsonObject } from '../../../../shared/event.ts'
import { diffOfPatch, patchIn } from '../../../../shared/apply-patch.ts'
import { planDraft } from '../../client/codex/plan.ts'
import { userInput, type UserInput } from '../../client/codex/prompts.ts'
import { toolOutcome } from '../../client/codex/tool-output.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { mediaReference, type HashText } from '../../media.ts'
import { toolResultDraft } from '../../tool-result.ts'
import { uniqueId } from '../../unique-id.ts'
import type { RequestHistory } from '../wire.ts'
import { itemDrafts } from './item-drafts.ts'
import { asBlocks, callOf, isAnswer, isCompaction, resultCallId, typeOf, type ItemCall } from './items.ts'
import { itemKeys } from './keys.ts'

interface Surroundings {
  readonly hash: HashText
  /** The client's id of the turn. */
  readonly promptId: string | null
  /** False for a subagent: another agent wrote its prompts. */
  readonly takesPrompts: boolean
}

/** Returns the new facts in a request's items, and the parent of the answer to them. */
export function readItems(
  base: DraftBase,
  exchangeId: string,
  input: readonly Json[],
  history: RequestHistory,
  surroundings: Surroundings,
): { readonly drafts: readonly AnyDraft[]; readonly tail: readonly string[] } {
  const items = input.map(objectOf)
  const lastAnswer = items.findLastIndex(isAnswer)
  const from = firstNew(items, history)
  const isPrompt = (item: JsonObject) =>
    surroundings.takesPrompts && typeOf(item) === 'message' && item['role'] === 'user' && userInput(item) !== null
  const total = items.slice(from).filter(isPrompt).length
  const drafts: AnyDraft[] = []
  let tail = knownTail(base, items, from, isPrompt, history)
  let prompts = 0
  let isAnswered = history.previousResponseSeen && history.knownMessages > 0
  for (const [at, item] of items.entries()) {
    if (at < from) continue
    const past = at <= lastAnswer
    if (isAnswer(item)) {
      // The answer to the previous request, which its own exchange reported.
      if (isAnswered) continue
      const keys = [naturalKey.history(exchangeId, at, 0)]
      const where = { responseId: null, index: 0, keys, parents: tail, seenInHistory: true }
      drafts.push(...itemDrafts(base, item, where, surroundings.hash))
      continue
    }
    isAnswered = false
    const callId = resultCallId(item)
    if (callId !== null) {
      const call = callBefore(items, at, callId)
      const result = resultDraft(base, item, callId, call, past, surroundings.hash)
      drafts.push(result, ...(result.payload.is_error ? [] : planDraft(base, call)))
      tail = [naturalKey.result(uniqueId(callId, base.session_id))]
    } else if (isPrompt(item)) {
      prompts += 1
      // Counted from the end, so that a retry can find the last prompt without knowing their number.
      const key = naturalKey.wirePrompt(exchangeId, total - prompts)
      drafts.push(promptDraft(base, item, key, past, surroundings))
      tail = [key]
    } else if (!KNOWN_ITEMS.has(typeOf(item)) || !isObject(input[at])) {
      const key = naturalKey.history(exchangeId, at, 0)
      const raw = input[at] ?? null
      drafts.push({
        ...base,
        kind: 'unknown',
        payload: { what: `item:${typeOf(item)}`, raw },
        keys: [key],
        parents: tail,
      })
    }
  }
  return { drafts, tail: tail.length === 0 ? previousPrompt(history) : tail }
}

/** Items without a fact of their own: instructions, definitions of tools, a reference, the request for a compaction. */
const KNOWN_ITEMS: ReadonlySet<string> = new Set([
  'message',
  'additional_tools',
  'compaction_trigger',
  'item_reference',
  'agent_message',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
])

/** Returns the index of the first item with something new. */
function firstNew(items: readonly JsonObject[], history: RequestHistory): number {
  if (history.identicalToPrevious) return items.length
  // After a compaction, the request repeats earlier messages before its compaction item.
  const compacted = history.previousRequestUuid === null ? -1 : items.findLastIndex(isCompaction)
  return Math.max(history.knownMessages, compacted + 1)
}

/** Returns the parent found in the known part of the input: its last prompt or result. */
function knownTail(
  base: DraftBase,
  items: readonly JsonObject[],
  from: number,
  isPrompt: (item: JsonObject) => boolean,
  history: RequestHistory,
): readonly string[] {
  const start = base.agent_id === null ? [] : [naturalKey.agentStart(base.agent_id)]
  for (let at = Math.min(from, items.length) - 1; at >= 0; at -= 1) {
    const item = items[at]
    if (item === undefined) continue
    if (isPrompt(item)) return previousPrompt(history)
    const callId = resultCallId(item)
    if (callId !== null) return [naturalKey.result(uniqueId(callId, base.session_id))]
  }
  return start
}

function previousPrompt(history: RequestHistory): readonly string[] {
  if (history.previousTail) return history.previousTail
  return history.previousRequestUuid === null ? [] : [naturalKey.wirePrompt(history.previousRequestUuid, 0)]
}

/** Finds the call that a result answers, nearly always a few items before. */
function callBefore(items: readonly JsonObject[], at: number, callId: string): ItemCall | null {
  for (let before = at - 1; before >= 0; before -= 1) {
    const item = items[before]
    const call = item === undefined ? null : callOf(item)
    if (call?.callId === callId) return call
  }
  return null
}

function promptDraft(
  base: DraftBase,
  item: JsonObject,
  key: string,
  past: boolean,
  { hash, promptId }: Surroundings,
): EventDraft<'user_prompt'> {
  const { text, media: parts }: UserInput = userInput(item) ?? { text: '', media: [] }
  const media = listOf(asBlocks(parts)).flatMap((block) => mediaReference(block, hash) ?? [])
  const id = filledString(item['id'])
  const turn = turnOf(item) ?? promptId
  return {
    ...base,
    kind: 'user_prompt',
    payload: {
      text,
      ...(turn === null ? {} : { prompt_id: turn }),
      ...(media.length > 0 ? { media } : {}),
      ...(past ? { seen_in_history: true } : {}),
    },
    keys: [key, ...itemKeys(id)],
    text_identity: { text, within_ms: past ? null : PROMPT_WINDOW_MS },
    parents: [],
  }
}

/** Returns the id of the turn that an item was added in. */
const turnOf = (item: JsonObject): string | null =>
  filledString(objectOf(item['internal_chat_message_metadata_passthrough'])['turn_id'])

function resultDraft(
  base: DraftBase,
  item: JsonObject,
  callId: string,
  call: ItemCall | null,
  past: boolean,
  hash: HashText,
): EventDraft<'tool_result'> {
  const output = item['output'] ?? item['tools'] ?? ''
  const { isError, isRejected, durationMs } = toolOutcome(output)
  const patch = call?.tool === 'apply_patch' ? patchIn(call.input) : null
  const detail = patch === null || isError ? null : diffOfPatch(patch)
  const id = filledString(item['id'])
  const unique = uniqueId(callId, base.session_id)
  const draft = toolResultDraft(
    base,
    {
      callId,
      toolName: call?.tool ?? null,
      content: asBlocks(output),
      isError: isError || item['success'] === false || item['status'] === 'failed',
      durationMs,
      denialKind: isRejected ? 'user' : null,
      ...(detail === null ? {} : { detail }),
      seenInHistory: past,
    },
    hash,
    { parents: [naturalKey.call(unique)] },
  )
  return { ...draft, keys: [naturalKey.result(unique), ...itemKeys(id)] }
}
