import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { agentEndedDraft, agentOutcome, agentStartedDraft, taskNotificationDrafts } from '../agents.ts'
import { isClientSentence, isPlaceholderAnswer } from '../client-sentences.ts'
import { compactionSummary } from '../compaction.ts'
import { compactionKey } from '../../../compaction-key.ts'
import { isoTime, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { filesSeenDrafts } from '../../../files-seen.ts'
import { limitDepth, wellFormed } from '../../../json-access.ts'
import { filledString, isObject, listOf, numberOf, stringOf } from '../../../../../shared/json-fields.ts'
import { withReferences, type HashText } from '../../../media.ts'
import { endedWithSession, sessionEndedDraft, sessionStartedDraft } from '../session-end.ts'
import { planAcceptedDrafts } from '../plan-mode.ts'
import { exactWords, promptText } from '../prompt-text.ts'
import { taskChanges, taskUpdateDraft } from '../tasks.ts'
import { outputText, toolResultDraft } from '../../../tool-result.ts'

const plainHash: HashText = (text) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const STARTS = ['startup', 'resume', 'clear', 'compact', 'fork'] as const

/**
 * Decodes a hook of Claude Code. `received`: wall clock and ms of this run when it arrived. An unknown event becomes
 * `unknown`; `PostToolBatch` is skipped because it only repeats `PostToolUse`.
 */
export function decodeHook(
  body: JsonObject,
  received: { readonly wall: number; readonly at: number },
  hash: HashText = plainHash,
): AnyDraft[] {
  const hook = wellFormed(limitDepth(body))
  const agentId = filledString(hook['agent_id'])
  const base: DraftBase = {
    source: 'hook',
    session_id: stringOf(hook['session_id']) ?? 'unnamed',
    agent_id: agentId,
    ts_wall: isoTime(received.wall),
    ts_monotonic: received.at,
    project: filledString(hook['cwd']),
  }
  const event = stringOf(hook['hook_event_name']) ?? 'none'
  const said = (name: string, to: Json): AnyDraft[] => [
    { ...base, kind: 'state_change', payload: { name, to }, keys: [], parents: [] },
  ]
  switch (event) {
    case 'SessionStart':
      return [
        sessionStartedDraft(base, {
          start: STARTS.find((start) => start === hook['source']) ?? 'unknown',
          model: filledString(hook['model']),
        }),
      ]
    case 'SessionEnd':
      return [endedWithSession(base), sessionEndedDraft(base, filledString(hook['reason']))]
    case 'UserPromptSubmit':
      return prompted(base, hook)
    case 'PreToolUse':
      return called(base, hook)
    case 'PostToolUse':
      return returned(base, hook, hash)
    case 'PostToolUseFailure':
      return failed(base, hook, hash)
    case 'PostToolBatch':
      return []
    case 'FilesSeen':
      return filesSeenDrafts(base, hook, hash)
    case 'SubagentStart':
    case 'SubagentStop':
      return agentHook(base, hook, event)
    case 'PreCompact':
      return [
        ...said('compaction_started', {
          trigger: hook['trigger'] ?? null,
          instructions: hook['custom_instructions'] ?? null,
        }),
        ...askedToCompact(base, hook),
      ]
    case 'PostCompact':
      return compacted(base, hook)
    case 'Stop':
    case 'StopFailure':
      return stopped(base, hook, event)
    case 'Notification':
      return [
        {
          ...base,
          kind: 'notification',
          payload: { text: stringOf(hook['message']) ?? '', level: filledString(hook['notification_type']) },
          keys: [],
          parents: [],
        },
      ]
    case 'PermissionRequest':
    case 'PermissionDenied':
      return said(event === 'PermissionDenied' ? 'permission_denied' : 'permission_asked', {
        tool_name: hook['tool_name'] ?? null,
        tool_input: hook['tool_input'] ?? null,
        ...(hook['reason'] === undefined ? {} : { reason: hook['reason'] }),
      })
    case 'TaskCreated':
    case 'TaskCompleted':
      return taskHook(base, hook, event === 'TaskCompleted' ? 'completed' : 'pending')
    case 'CwdChanged':
    case 'ConfigChange':
    case 'InstructionsLoaded':
    case 'PreSkillShellCommand':
    case 'Setup':
    case 'UserPromptExpansion':
      return said(event, withoutCommon(hook))
    default:
      return [{ ...base, kind: 'unknown', payload: { what: `hook:${event}`, raw: hook }, keys: [], parents: [] }]
  }
}

/** A prompt id is not a key: a message typed while the model works carries the id of the previous prompt (observed). */
function prompted(base: DraftBase, hook: JsonObject): AnyDraft[] {
  const raw = stringOf(hook['prompt']) ?? ''
  const promptId = filledString(hook['prompt_id'])
  const text = promptText(raw)
  if (raw.includes('<task-notification>') && text === '')
    return [...taskNotificationDrafts(base, raw, { isSentAlone: true })]
  if (text === '' && isClientSentence(raw)) return []
  // The hook fires only for what a person typed, so tags in it are the person's own.
  const typed = text === '' ? raw : exactWords(raw, text)
  return [
    {
      ...base,
      kind: 'user_prompt',
      payload: { text: typed, prompt_id: promptId },
      keys: [],
      text_identity: { text: text || raw.trim(), within_ms: PROMPT_WINDOW_MS },
      parents: [],
      sighting: { prompt_id: promptId, permission_mode: filledString(hook['permission_mode']) },
    },
  ]
}

/** `/compact` fires no UserPromptSubmit (observed), and the wire shows it only with the next prompt. */
function askedToCompact(base: DraftBase, hook: JsonObject): AnyDraft[] {
  if (hook['trigger'] !== 'manual') return []
  const typed = prompted(base, { ...hook, prompt: `/compact ${stringOf(hook['custom_instructions']) ?? ''}` })
  return typed.map((draft) =>
    draft.kind === 'user_prompt' ? { ...draft, payload: { ...draft.payload, entered_as: 'local_command' } } : draft,
  )
}

function called(base: DraftBase, hook: JsonObject): AnyDraft[] {
  const callId = filledString(hook['tool_use_id'])
  if (callId === null) return []
  return [
    {
      ...base,
      kind: 'tool_call',
      payload: {
        call_id: callId,
        tool_name: stringOf(hook['tool_name']) ?? 'unknown',
        input: hook['tool_input'] ?? {},
        message_id: null,
        index: 0,
      },
      keys: [naturalKey.call(callId)],
      parents: [],
      sighting: { permission_mode: filledString(hook['permission_mode']) },
    },
  ]
}

function returned(base: DraftBase, hook: JsonObject, hash: HashText): AnyDraft[] {
  const callId = filledString(hook['tool_use_id'])
  if (callId === null) return []
  const toolName = filledString(hook['tool_name'])
  const detail = withReferences(hook['tool_response'] ?? null, hash, [])
  const durationMs = numberOf(hook['duration_ms'])
  const content = shownOutput(detail)
  const facts = { callId, toolName, content, isError: false, detail, durationMs }
  const result = toolResultDraft(base, facts, hash)
  // The hook has less of the output than wire and transcript, so its copy stays in its sighting.
  const sighting = { detail: result.payload.detail, duration_ms: durationMs }
  const text = outputText(result.payload.output)
  const tasks = taskChanges(toolName, hook['tool_input'], text, detail)
  const agent = agentOutcome({ name: toolName, input: hook['tool_input'] }, text, detail)
  const parentAgentId = base.agent_id
  return [
    { ...result, sighting },
    ...(tasks ? [taskUpdateDraft(base, callId, tasks)] : []),
    ...(agent ? [agentStartedDraft(base, { id: agent.id, type: agent.type, parentAgentId, callId })] : []),
    ...planAcceptedDrafts(base, { callId, toolName, input: hook['tool_input'] }),
  ]
}

function failed(base: DraftBase, hook: JsonObject, hash: HashText): AnyDraft[] {
  const callId = filledString(hook['tool_use_id'])
  if (callId === null) return []
  const durationMs = numberOf(hook['duration_ms'])
  const content = stringOf(hook['error']) ?? ''
  return [
    toolResultDraft(
      base,
      {
        callId,
        toolName: filledString(hook['tool_name']),
        content,
        isError: true,
        denialKind: hook['is_interrupt'] === true ? 'interrupted' : null,
        durationMs,
      },
      hash,
      { sighting: { duration_ms: durationMs, interrupted: hook['is_interrupt'] === true } },
    ),
  ]
}

/** Returns the text in a structured tool response, as far as there is any. */
function shownOutput(response: Json): Json {
  if (typeof response === 'string' || Array.isArray(response)) return response
  if (!isObject(response)) return ''
  const { stdout, stderr, content, message } = response
  if (typeof stdout === 'string') return [stdout, stringOf(stderr) ?? ''].filter((text) => text !== '').join('\n')
  if (listOf(content).length > 0 || typeof content === 'string') return content ?? ''
  if (typeof message === 'string') return message
  return JSON.stringify(response)
}

/** Compaction runs an untyped agent that never reported a start: its end is the end of the compaction. */
function agentHook(base: DraftBase, hook: JsonObject, event: 'SubagentStart' | 'SubagentStop'): AnyDraft[] {
  const id = filledString(hook['agent_id'])
  const type = filledString(hook['agent_type'])
  if (id === null || type === null) return []
  if (event === 'SubagentStart') return [agentStartedDraft(base, { id, type, parentAgentId: null, callId: null })]
  return [agentEndedDraft(base, { id, type, lastText: filledString(hook['last_assistant_message']), failed: false })]
}

function compacted(base: DraftBase, hook: JsonObject): AnyDraft[] {
  const summary = compactionSummary(stringOf(hook['compact_summary']) ?? '')
  const { trigger } = hook
  return [
    {
      ...base,
      kind: 'compaction',
      payload: {
        trigger: trigger === 'manual' || trigger === 'auto' ? trigger : 'unknown',
        summary,
        tokens_before: null,
        tokens_after: null,
      },
      keys: [compactionKey(base.session_id, summary)],
      parents: [],
      sighting: { trigger: trigger ?? null },
    },
  ]
}

function stopped(base: DraftBase, hook: JsonObject, event: string): AnyDraft[] {
  const lastText = filledString(hook['last_assistant_message'])
  if (lastText !== null && isPlaceholderAnswer(lastText)) return []
  const reason = event === 'Stop' ? 'end_turn' : (filledString(hook['error']) ?? 'failed')
  return [
    {
      ...base,
      kind: 'turn_ended',
      payload: { reason, last_text: lastText },
      keys: [],
      ...(lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }),
      parents: [],
      // An earlier Stop hook refused the end of this turn, which ends once.
      ...(hook['stop_hook_active'] === true ? { only_as_sighting: true as const } : {}),
    },
  ]
}

function taskHook(base: DraftBase, hook: JsonObject, status: string): AnyDraft[] {
  const id = filledString(hook['task_id'])
  if (id === null) return []
  const tasks = [{ id, subject: filledString(hook['task_subject']) ?? '', status }]
  // It fires during the call that makes the change, whose result reports the same change: this is a sighting, not a
  // second update.
  return [
    {
      ...base,
      kind: 'task_update',
      payload: { tasks },
      keys: [],
      parents: [],
      sighting: { tasks },
      sighting_of: [naturalKey.newestOf(base.session_id)],
    },
  ]
}

function withoutCommon(hook: JsonObject): JsonObject {
  const { session_id: _, transcript_path: __, cwd: ___, hook_event_name: ____, ...rest } = hook
  return rest
}
