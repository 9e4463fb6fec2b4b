import { textsOf } from '../../message-texts.ts'
import type { Json, JsonObject, MediaReference } from '../../../../../shared/event.ts'
import { agentEndedDraft, agentOutcome, agentStartedDraft, taskNotificationDrafts } from '../agents.ts'
import { clientMessageDraft } from '../client-message.ts'
import { compactionSummary } from '../compaction.ts'
import { compactCommandKey, compactionKey } from '../../../compaction-key.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../../draft.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { mediaReference, type HashText } from '../../../media.ts'
import { messageMarks } from '../message-marks.ts'
import { resumedDrafts, stoppedTurnDrafts, typedEnd } from '../session-end.ts'
import { planAcceptedDrafts } from '../plan-mode.ts'
import { userInputs, type UserInput } from '../prompt-text.ts'
import type { CallMemory } from './call-memory.ts'
import { exportedMediaPrompt } from './exported-media.ts'
import { taskChanges, taskUpdateDraft } from '../tasks.ts'
import { detailDuration, outputText, toolResultDraft } from '../../../tool-result.ts'

/** A `compact_boundary` line whose summary follows in the next lines. */
export interface PendingBoundary {
  readonly base: DraftBase
  readonly key: string | null
  readonly sizes: Pick<EventDraft<'compaction'>['payload'], 'trigger' | 'tokens_before' | 'tokens_after'>
}

interface UserLine {
  readonly base: DraftBase
  readonly line: JsonObject
  readonly calls: CallMemory
  readonly hash: HashText
  readonly boundary: PendingBoundary | null
  /** The parent of the line, and of answers to it. */
  readonly place: readonly string[]
  /** Keys of the file's commands: the client's own line below one is its text for the model. */
  readonly commands: Set<string>
}

interface Told {
  readonly drafts: AnyDraft[]
  /** Set if this line is the parent of answers. */
  readonly tail?: readonly string[]
}

interface ToldByUser extends Told {
  readonly isPrompt: boolean
  readonly isInterruption?: boolean
  readonly usedBoundary: boolean
}

/** Decodes a `user` line: prompt, tool results, a compaction's summary, a notification, or the client's own text. */
export function userLineDrafts(user: UserLine): ToldByUser {
  const { base, line } = user
  if (line['isCompactSummary'] === true) {
    return { drafts: [summaryDraft(user)], isPrompt: true, usedBoundary: true }
  }
  const { content } = objectOf(line['message'])
  const results = listOf(content).filter(isToolResult)
  const outcomes = results.flatMap((block, at) => resultDrafts(user, block, at === 0))
  const lastResult = results.at(-1)
  const uuid = filledString(line['uuid'])
  const notified = noticeDrafts(base, content, uuid, true)
  const isHuman = objectOf(line['origin'])['kind'] === 'human'
  const inputs = base.agent_id === null ? userInputs(content, true, true, isHuman) : []
  const drafts = inputs.map((input, at) => promptDraft(base, line, input, at, user.hash))
  const isTyped = isOwnWords(line, base)
  const exported = isTyped ? exportedMediaPrompt(content) : null
  const prompts = exported ? [exportedDraft(base, line, exported, user.hash)] : isTyped ? drafts : []
  // The wire shows no flags: a client sentence that was still unknown may have been recorded as a prompt.
  const corrections = isTyped ? [] : drafts.flatMap((draft) => correctionDrafts(user, draft))
  const lastPrompt = prompts.at(-1)
  if (isCommand(lastPrompt)) for (const key of lastPrompt?.keys ?? []) user.commands.add(key)
  const marked = marks(user)
  const tail =
    lastPrompt?.keys.slice(-1) ??
    (lastResult ? [naturalKey.result(stringOf(lastResult['tool_use_id']) ?? '')] : notified[0]?.keys)
  return {
    drafts: [
      ...outcomes,
      ...notified,
      ...marked,
      ...prompts.flatMap((prompt) => [prompt, ...typedEnd(base, prompt)]),
      ...corrections,
      ...(drafts.length + outcomes.length + notified.length + marked.length === 0 ? knownCorrections(user) : []),
    ],
    ...(tail ? { tail } : {}),
    isPrompt: prompts.length > 0 || notified.length > 0,
    isInterruption: marked.some(({ kind }) => kind === 'state_change'),
    usedBoundary: false,
  }
}

const noticeDrafts = (base: DraftBase, content: Json | undefined, uuid: string | null, isSentAlone: boolean) =>
  textsOf(content).flatMap((text) =>
    taskNotificationDrafts(base, text, { isSentAlone, ...(uuid === null ? {} : { key: naturalKey.line(uuid) }) }),
  )

const isCommand = (prompt: EventDraft<'user_prompt'> | undefined): boolean =>
  prompt?.payload.entered_as === 'command' || prompt?.payload.entered_as === 'local_command'

/** True if a line's text is the user's: not the client's (`isMeta`), not another agent's. */
function isOwnWords(line: JsonObject, base: DraftBase): boolean {
  const origin = objectOf(line['origin'])['kind']
  return (
    base.agent_id === null &&
    line['isMeta'] !== true &&
    line['isVisibleInTranscriptOnly'] !== true &&
    line['promptSource'] !== 'system' &&
    (origin === undefined || origin === null || origin === 'human' || origin === 'user')
  )
}

/**
 * Removes a prompt that another source made from the client's own words, and keeps later sources from making it again.
 */
function correctionDrafts(user: UserLine, draft: EventDraft<'user_prompt'>): readonly AnyDraft[] {
  const { uuid: _, ...rest } = draft
  const { base, place, hash } = user
  const key = draft.keys[0] ?? naturalKey.line(base.ts_wall)
  const correction = { ...rest, parents: place, sighting: { not_a_prompt: true }, only_as_sighting: true as const }
  // The wire shows a command's text behind the command.
  if (user.commands.has(naturalKey.line(filledString(user.line['parentUuid']) ?? ''))) return [correction]
  return [correction, clientMessageDraft(base, { text: draft.text_identity?.text ?? '', key, parents: place }, hash)]
}

/** Takes back what an earlier version stored as a prompt, since it did not know the client's sentence. */
function knownCorrections({ base, line, hash }: UserLine): readonly AnyDraft[] {
  if (base.agent_id !== null || filledString(line['uuid']) === null) return []
  const {
    uuid: _,
    text_identity: __,
    ...draft
  } = promptDraft(base, line, { text: '', media: [], seen: 'now' }, 0, hash)
  return [{ ...draft, sighting: { not_a_prompt: true }, only_as_sighting: true }]
}

/** Interruptions and command output: events outside the conversation. */
function marks({ base, line, place }: UserLine): readonly AnyDraft[] {
  const key = naturalKey.line(filledString(line['uuid']) ?? `${base.session_id}:${base.ts_wall}`)
  return messageMarks(base, objectOf(line['message'])['content'], { key, parents: place, past: false })
}

const isToolResult = (block: Json): block is JsonObject =>
  isObject(block) && block['type'] === 'tool_result' && filledString(block['tool_use_id']) !== null

/** A prompt id is not a key: a fork replaces it in all prompts that it copies (observed). */
function promptDraft(
  base: DraftBase,
  line: JsonObject,
  input: UserInput,
  at: number,
  hash: HashText,
): EventDraft<'user_prompt'> {
  const uuid = filledString(line['uuid'])
  const promptId = filledString(line['promptId'])
  const branch = filledString(line['gitBranch'])
  const media = input.media.flatMap((block) => mediaReference(block, hash) ?? [])
  const key = uuid === null ? null : at === 0 ? naturalKey.line(uuid) : `${naturalKey.line(uuid)}:${at}`
  // The line's own key finds the result beside which it was typed.
  const isBeside = at === 0 && listOf(objectOf(line['message'])['content']).some(isToolResult)
  return {
    ...base,
    kind: 'user_prompt',
    payload: {
      text: input.exact ?? input.text,
      prompt_id: promptId,
      ...(media.length > 0 ? { media } : {}),
      ...(input.as === undefined ? {} : { entered_as: input.as }),
      ...(branch === null ? {} : { git_branch: branch }),
    },
    keys: key === null ? [] : isBeside ? [key, `${key}:typed`] : [key],
    text_identity: { text: input.text, within_ms: input.seen === 'late' ? null : PROMPT_WINDOW_MS },
    parents: [],
    sighting: { prompt_id: promptId, ...(branch === null ? {} : { git_branch: branch }) },
    ...(uuid === null || at > 0 ? {} : { uuid }),
  }
}

/** A prompt of only images or documents, as our own export writes it. */
function exportedDraft(
  base: DraftBase,
  line: JsonObject,
  media: readonly MediaReference[],
  hash: HashText,
): EventDraft<'user_prompt'> {
  const draft = promptDraft(base, line, { text: '', media: [], seen: 'now' }, 0, hash)
  return { ...draft, payload: { ...draft.payload, media } }
}

/** A message passed to the model in mid-turn that only the queue's lines contain. */
export function deliveredPromptDraft(base: DraftBase, typed: string, hash: HashText): EventDraft<'user_prompt'> {
  const text = typed.trim()
  return {
    ...base,
    kind: 'user_prompt',
    payload: { text: typed },
    keys: [`queued:${base.session_id}:${base.ts_wall}:${hash(text).slice(0, 16)}`],
    text_identity: { text, within_ms: null },
    parents: [],
  }
}

function summaryDraft({ base, line, boundary }: UserLine): EventDraft<'compaction'> {
  const uuid = filledString(line['uuid'])
  const summary = compactionSummary(textsOf(objectOf(line['message'])['content']).join('\n'))
  const sizes = boundary?.sizes ?? { trigger: 'unknown' as const, tokens_before: null, tokens_after: null }
  const key = compactionKey(base.session_id, summary)
  return {
    ...base,
    kind: 'compaction',
    payload: { ...sizes, summary },
    keys: [key, ...(uuid === null ? [] : [naturalKey.line(uuid)]), ...(boundary?.key ? [boundary.key] : [])],
    // The command's own line comes after its effects.
    ...(sizes.trigger === 'manual'
      ? { begins_turn: true as const, parents: [compactCommandKey(key)] }
      : { parents: [] }),
    sighting: { ...sizes },
    ...(uuid === null ? {} : { uuid }),
  }
}

function resultDrafts({ base, line, calls, hash }: UserLine, block: JsonObject, isFirst: boolean): readonly AnyDraft[] {
  const callId = stringOf(block['tool_use_id']) ?? ''
  const call = calls.get(callId)
  const toolName = call?.name ?? null
  const uuid = isFirst ? filledString(line['uuid']) : null
  const isError = block['is_error'] === true
  // The structured result belongs to the line; if the line has several results, it is unclear whose it is.
  const detail = isFirst && !isError && isObject(line['toolUseResult']) ? line['toolUseResult'] : undefined
  const result = toolResultDraft(
    base,
    {
      callId,
      toolName,
      content: block['content'],
      isError,
      denialKind: filledString(line['toolDenialKind']),
      detail,
      input: call?.input,
      durationMs: detailDuration(detail),
    },
    hash,
    uuid === null ? {} : { keys: [naturalKey.line(uuid)], uuid },
  )
  if (isError) return [result]
  const text = outputText(result.payload.output)
  const tasks = taskChanges(toolName, call?.input, text, detail)
  const agent = agentOutcome({ name: toolName, input: call?.input }, text, detail)
  const parentAgentId = base.agent_id
  return [
    result,
    ...(tasks ? [taskUpdateDraft(base, callId, tasks)] : []),
    ...(agent ? [agentStartedDraft(base, { id: agent.id, type: agent.type, parentAgentId, callId })] : []),
    ...(agent?.ended ? [agentEndedDraft(base, { ...agent, failed: false })] : []),
    ...planAcceptedDrafts(base, { callId, toolName, input: call?.input }),
  ]
}

/** Task notices and messages from other agents share the queue with typed messages. */
function isTypedAttachment(attachment: JsonObject): boolean {
  const origin = objectOf(attachment['origin'])['kind']
  return (
    attachment['commandMode'] !== 'task-notification' &&
    attachment['isMeta'] !== true &&
    (origin === undefined || origin === null || origin === 'human')
  )
}

/**
 * Decodes an `attachment` line: a message typed while the model worked, or the client's own end of a turn. Others have
 * what the client adds to a request.
 */
export function attachmentDrafts(base: DraftBase, line: JsonObject, place: readonly string[], hash: HashText): Told {
  const attachment = objectOf(line['attachment'])
  if (attachment['type'] !== 'queued_command')
    return { drafts: [...resumedDrafts(base, line), ...stoppedTurnDrafts(base, line, place)] }
  const { prompt } = attachment
  const uuid = filledString(line['uuid'])
  const notified = noticeDrafts(base, prompt, uuid, false)
  const inputs = base.agent_id === null && isTypedAttachment(attachment) ? userInputs(prompt, true, true) : []
  const prompts = inputs.map((input, at) => promptDraft(base, line, { ...input, seen: 'late' }, at, hash))
  const tail = prompts.at(-1)?.keys.slice(0, 1)
  return { drafts: [...notified, ...prompts], ...(tail ? { tail } : {}) }
}
