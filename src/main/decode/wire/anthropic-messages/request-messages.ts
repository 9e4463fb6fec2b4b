import { textsOf } from '../../client/message-texts.ts'
import type { LatestWords, RequestHistory, RequestLookups } from '../wire.ts'
import type { Json, JsonObject, RequestKind } from '../../../../shared/event.ts'
import {
  agentEndedDraft,
  agentOutcome,
  agentStartedDraft,
  taskNotificationDrafts,
} from '../../client/claude-code/agents.ts'
import { isCompactionRequest } from '../../client/claude-code/compaction.ts'
import { blockDrafts } from '../../content-block.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import { isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { mediaReference, type HashText } from '../../media.ts'
import { isNobodysAnswer } from '../../client/claude-code/client-sentences.ts'
import { clientMessageKeys } from '../../client/claude-code/client-message.ts'
import { asCut, asHappened, messageMarks, placeInConversation } from '../../client/claude-code/message-marks.ts'
import { planAcceptedDrafts } from '../../client/claude-code/plan-mode.ts'
import type { UserInput } from '../../client/claude-code/prompt-text.ts'
import { sideQuestion } from '../../client/claude-code/side-call.ts'
import { taskChanges, taskUpdateDraft } from '../../client/claude-code/tasks.ts'
import { outputText, toolResultDraft } from '../../tool-result.ts'
import { countInputs, hasResult, inputsOf, isToolResult } from './request-inputs.ts'
import { addsOnlyClientText, latestWords } from './latest-words.ts'

interface Call {
  readonly name: string
  readonly input: Json
}

/** The content of a request's messages. */
interface ReadMessages {
  /** The new facts. */
  readonly drafts: readonly AnyDraft[]
  /** The parent of the answer. */
  readonly tail: readonly string[]
  /** Absent if the user's messages after the last answer have no words of the user. */
  readonly words?: LatestWords
  /** The words after the last answer are those of the previous request: only the client added to them. */
  readonly isRepeated: boolean
}

/** Returns the new facts in a request's messages. */
export function readMessages(
  base: DraftBase,
  exchangeId: string,
  requestKind: RequestKind,
  body: JsonObject,
  history: RequestHistory,
  { hash, agentOf }: Pick<RequestLookups, 'hash' | 'agentOf'>,
): ReadMessages {
  const messages = listOf(body['messages']).map(objectOf)
  const lastAnswer = messages.findLastIndex((message) => message['role'] === 'assistant')
  const from = firstNew(messages, body, lastAnswer, history)
  const answered = answeredBefore(messages, from, history)
  const takesPrompts = requestKind !== 'subagent'
  // Without an earlier request, or behind an answer that came since, all of a joined message is new.
  const isAllNew = history.previousRequestUuid === null || lastAnswer >= (history.previousMessages ?? Infinity)
  const isRepeated = takesPrompts && addsOnlyClientText(messages, lastAnswer, history.previousWords, hash, requestKind)
  const inputs = new Map<number, readonly UserInput[]>()
  const inputsAt = (at: number) => {
    const message = messages[at] ?? {}
    if (isRepeated && at > lastAnswer && message['role'] === 'user') return []
    const found = inputs.get(at) ?? inputsOf(message, isAllNew || at <= lastAnswer)
    inputs.set(at, found)
    return found
  }
  const total = takesPrompts ? countInputs(messages, from, inputsAt) : 0

  const isSentAlone = total === 0 && !messages.some((message, at) => at > lastAnswer && hasResult(message))
  const drafts: AnyDraft[] = []
  const agentStart = base.agent_id === null ? [] : [naturalKey.agentStart(base.agent_id)]
  let tail = knownTail(messages, from, takesPrompts, inputsAt, history) ?? agentStart
  let prompts = 0
  for (const [at, message] of messages.entries()) {
    // Each request repeats a history that may have thousands of messages, so only new messages are read.
    if (at < from) continue
    const past = at <= lastAnswer
    if (message['role'] === 'assistant') {
      if (at !== answered) drafts.push(...shownMessage(base, exchangeId, message['content'], at, tail, hash))
      continue
    }
    const cut = asCut(base, message['content'], past ? undefined : history.lastEndAt)
    for (const block of listOf(message['content']).filter(isToolResult)) {
      const callId = stringOf(block['tool_use_id']) ?? ''
      drafts.push(...resultDrafts(cut, block, callId, callBefore(messages, at, callId), past, { hash, agentOf }))
      tail = [naturalKey.result(callId)]
    }
    if (!takesPrompts || isCompactionRequest(message['content'])) continue
    const inConversation = () => placeInConversation(base, messages, at, hash)
    const place = { key: naturalKey.history(exchangeId, at, 0), parents: tail, past, hash, cut, inConversation }
    const said = inputsAt(at).map((input) => {
      prompts += 1
      // Counted from the end, so that a retry can find the last prompt without knowing their number.
      const key = naturalKey.wirePrompt(exchangeId, total - prompts)
      return promptDraft(base, input, key, past, hash)
    })
    drafts.push(...asHappened(messageMarks(base, message['content'], place), said))
    tail = said.at(-1)?.keys ?? tail
    if (past) continue
    const notice = { key: naturalKey.history(exchangeId, at, 0), isSentAlone }
    const notified = textsOf(message['content']).flatMap((text) => taskNotificationDrafts(base, text, notice))
    drafts.push(...notified)
    if (isSentAlone) tail = notified[0]?.keys ?? tail
  }
  const isSaid = isRepeated || (takesPrompts && messages.some((_, at) => at > lastAnswer && inputsAt(at).length > 0))
  return {
    drafts,
    tail: tail.length === 0 ? knownPrompt(history) : tail,
    ...(isSaid ? { words: latestWords(messages, lastAnswer, hash) } : {}),
    isRepeated,
  }
}

/** Returns the parent found in the known part of the history: its last prompt or tool result. */
function knownTail(
  messages: readonly JsonObject[],
  from: number,
  takesPrompts: boolean,
  inputsAt: (at: number) => readonly UserInput[],
  history: RequestHistory,
): readonly string[] | null {
  for (let at = Math.min(from, messages.length) - 1; at >= 0; at -= 1) {
    const message = messages[at]
    if (message === undefined || message['role'] === 'assistant') continue
    if (takesPrompts && !isCompactionRequest(message['content']) && inputsAt(at).length > 0) return knownPrompt(history)
    // What the model says to a notice.
    if (history.previousTail && textsOf(message['content']).some(isNotice)) return history.previousTail
    const last = listOf(message['content']).findLast(isToolResult)
    if (last) return [naturalKey.result(stringOf(last['tool_use_id']) ?? '')]
  }
  return null
}

const isNotice = (text: string): boolean => text.includes('<task-notification>')

/** Returns the index of the first message with something new. */
function firstNew(messages: readonly JsonObject[], body: JsonObject, lastAnswer: number, history: RequestHistory) {
  if (history.identicalToPrevious) return messages.length
  if (history.knownMessages > 0) return history.knownMessages
  // A thread's continuation contains only new messages.
  if (isObject(body['thread']) && body['thread']['type'] === 'continue') return 0
  const before = history.previousMessages ?? (history.previousRequestUuid === null ? 0 : 1)
  // Compacted or rewound: messages before the assistant's last one were seen before, at other positions.
  return before > 0 ? lastAnswer + 1 : 0
}

/** Returns the index of the message that the recorder saw as the answer to the previous request, or -1. */
function answeredBefore(messages: readonly JsonObject[], from: number, history: RequestHistory): number {
  if (!history.previousResponseSeen || history.knownMessages === 0) return -1
  const next = messages.findIndex((message, at) => at >= from && message['role'] !== 'system')
  return messages[next]?.['role'] === 'assistant' ? next : -1
}

function knownPrompt(history: RequestHistory): readonly string[] {
  if (history.previousTail) return history.previousTail
  return history.previousRequestUuid === null ? [] : [naturalKey.wirePrompt(history.previousRequestUuid, 0)]
}

/** Finds the call that a result answers, nearly always in the previous message. */
function callBefore(messages: readonly JsonObject[], at: number, callId: string): Call | undefined {
  for (let before = at - 1; before >= 0; before -= 1) {
    const message = messages[before]
    if (message?.['role'] !== 'assistant') continue
    const call = listOf(message['content']).find(
      (block) => isObject(block) && block['type'] === 'tool_use' && block['id'] === callId,
    )
    if (isObject(call)) return { name: stringOf(call['name']) ?? '', input: call['input'] ?? null }
  }
  return undefined
}

/** Returns the question of a side call, which is a prompt outside the turn that goes on. */
export function sidePrompts(
  base: DraftBase,
  exchangeId: string,
  body: JsonObject,
  hash: HashText,
): readonly AnyDraft[] {
  const question = sideQuestion(listOf(body['messages']))
  return question === null ? [] : [promptDraft(base, question, naturalKey.wirePrompt(exchangeId, 0), false, hash)]
}

function promptDraft(
  base: DraftBase,
  input: UserInput,
  key: string,
  past: boolean,
  hash: HashText,
): EventDraft<'user_prompt'> {
  const media = input.media.flatMap((block) => mediaReference(block, hash) ?? [])
  return {
    ...base,
    kind: 'user_prompt',
    payload: {
      text: input.exact ?? input.text,
      ...(media.length > 0 ? { media } : {}),
      ...(input.as === undefined ? {} : { entered_as: input.as }),
      ...(past ? { seen_in_history: true } : {}),
    },
    keys: [key],
    text_identity: { text: input.text, within_ms: past || input.seen === 'late' ? null : PROMPT_WINDOW_MS },
    parents: [],
    sighting_of: clientMessageKeys(base, input.text, past, hash),
  }
}

/** Decodes an assistant's message that only the history shows: the parent of each block is the block before it. */
function shownMessage(
  base: DraftBase,
  exchangeId: string,
  content: Json | undefined,
  at: number,
  tail: readonly string[],
  hash: HashText,
): readonly AnyDraft[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  if (isNobodysAnswer(blocks)) return []
  const toolNameOf = (callId: string) => stringOf(blocks.map(objectOf).find(({ id }) => id === callId)?.['name'])
  return blocks.flatMap((block, index) => {
    const before = index === 0 ? tail : [naturalKey.history(exchangeId, at, index - 1), ...tail]
    return blockDrafts(
      base,
      block,
      {
        messageId: null,
        index,
        keys: [naturalKey.history(exchangeId, at, index)],
        parents: before,
        seenInHistory: true,
        toolNameOf,
      },
      hash,
    )
  })
}

function resultDrafts(
  base: DraftBase,
  block: JsonObject,
  callId: string,
  call: Call | undefined,
  past: boolean,
  { hash, agentOf }: Pick<RequestLookups, 'hash' | 'agentOf'>,
): readonly AnyDraft[] {
  const toolName = call?.name ?? null
  const result = toolResultDraft(
    base,
    {
      callId,
      toolName,
      content: block['content'],
      isError: block['is_error'] === true,
      input: call?.input,
      seenInHistory: past,
    },
    hash,
  )
  if (result.payload.is_error) return [result]
  const text = outputText(result.payload.output)
  const tasks = taskChanges(toolName, call?.input, text, undefined)
  const agent = agentOutcome({ name: toolName, input: call?.input }, text, { agentId: agentOf?.(callId) ?? null })
  return [
    result,
    ...(tasks ? [taskUpdateDraft(base, callId, tasks)] : []),
    ...(agent
      ? [agentStartedDraft(base, { id: agent.id, type: agent.type, parentAgentId: base.agent_id, callId })]
      : []),
    ...(agent?.ended ? [agentEndedDraft(base, { ...agent, failed: false })] : []),
    ...planAcceptedDrafts(base, { callId, toolName, input: call?.input }),
  ]
}
