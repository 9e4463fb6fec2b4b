import type { Json } from '../../../../shared/event.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'

/** Tools that start a subagent; the second is the older name. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task'])

export function agentStartedDraft(
  base: DraftBase,
  agent: { id: string; type: string | null; parentAgentId: string | null; callId: string | null },
): EventDraft<'agent_started'> {
  return {
    ...base,
    agent_id: agent.id,
    kind: 'agent_started',
    payload: {
      agent_id: agent.id,
      agent_type: agent.type,
      parent_agent_id: agent.parentAgentId,
      call_id: agent.callId,
    },
    keys: [naturalKey.agentStart(agent.id)],
    parents: agent.callId === null ? [] : [naturalKey.call(agent.callId)],
    sighting: {
      ...(agent.type === null ? {} : { agent_type: agent.type }),
      ...(agent.parentAgentId === null ? {} : { parent_agent_id: agent.parentAgentId }),
      ...(agent.callId === null ? {} : { call_id: agent.callId }),
    },
  }
}

export function agentEndedDraft(
  base: DraftBase,
  agent: { id: string; type: string | null; lastText: string | null; failed: boolean; durationMs?: number | null },
): EventDraft<'agent_ended'> {
  return {
    ...base,
    agent_id: agent.id,
    kind: 'agent_ended',
    payload: { agent_id: agent.id, agent_type: agent.type, last_text: agent.lastText },
    duration_ms: agent.durationMs ?? null,
    success: !agent.failed,
    error_message: agent.failed ? (agent.lastText ?? 'the agent failed') : null,
    keys: [naturalKey.agentEnd(agent.id)],
    parents: [naturalKey.agentStart(agent.id)],
    sighting: { ...(agent.lastText === null ? {} : { last_text: agent.lastText }), failed: agent.failed },
  }
}

/** The type of agent that a call asked for. */
export const askedType = (input: Json | undefined): string | null => filledString(objectOf(input)['subagent_type'])

/** Reads an Agent call's result for facts about its agent; null if it names none. */
export function agentOutcome(
  { name: toolName, input }: { readonly name: string | null; readonly input: Json | undefined },
  text: string,
  detail: Json | undefined,
): { id: string; type: string | null; ended: boolean; lastText: string | null; durationMs: number | null } | null {
  if (toolName === null || !AGENT_TOOLS.has(toolName)) return null
  const object = objectOf(detail)
  const id = filledString(object['agentId']) ?? /\bagentId: ([A-Za-z0-9_-]+)/.exec(text)?.[1] ?? null
  if (id === null) return null
  const launched =
    object['status'] === 'async_launched' || object['isAsync'] === true || text.startsWith('Async agent launched')
  const duration = /\bduration_ms: (\d+)/.exec(text)?.[1]
  return {
    id,
    type: filledString(object['agentType']) ?? askedType(input),
    ended: !launched,
    lastText: launched ? null : handedBack(text),
    durationMs: duration === undefined ? null : Number(duration),
  }
}

/** Returns the report from the client's frame, which indents every line. */
function handedBack(text: string): string | null {
  const framed = /The report follows:\n([\s\S]*?)(?:\nagentId: |$)/.exec(text)
  const report = framed ? (framed[1] ?? '').replace(/^ {2}/gm, '') : (text.split('\nagentId: ')[0] ?? '')
  return report.trim() === '' ? null : report.trim()
}

/** Reads the end of a background task or agent from the client's message to the model; null if the text has none. */
function parseTaskNotification(text: string) {
  const body = /<task-notification>([\s\S]*?)<\/task-notification>/.exec(text)?.[1]
  if (body === undefined) return null
  const field = (tag: string) => new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(body)?.[1]?.trim() ?? null
  const taskId = field('task-id')
  if (taskId === null) return null
  const summary = field('summary') ?? ''
  const duration = field('duration_ms')
  return {
    taskId,
    callId: field('tool-use-id'),
    status: field('status') ?? 'unknown',
    summary,
    result: field('result'),
    isAgent: summary.startsWith('Agent ') || body.includes('<subagent_tokens>'),
    durationMs: duration === null ? null : Number(duration),
  }
}

interface NoticePlace {
  /** Names its transcript line, which identifies a copy of the file, or its exchange. */
  readonly key?: string
  /** The client sends it when no turn is under way: what the model does then is a turn of its own. */
  readonly isSentAlone?: boolean
}

/** Returns the drafts of a task notification: the text shown, and the end of the agent it names. */
export function taskNotificationDrafts(base: DraftBase, text: string, place: NoticePlace = {}): readonly AnyDraft[] {
  const notification = parseTaskNotification(text)
  if (!notification) return []
  const shown: EventDraft<'notification'> = {
    ...base,
    kind: 'notification',
    payload: {
      text: notification.summary || `Task ${notification.taskId}: ${notification.status}`,
      level: notification.status,
    },
    keys: place.key === undefined ? [] : [`${place.key}:notice:${notification.taskId}`],
    text_identity: {
      text: `${notification.taskId} ${notification.status} ${notification.summary}`,
      within_ms: PROMPT_WINDOW_MS,
    },
    parents: notification.callId === null ? [] : [naturalKey.call(notification.callId)],
    ...(place.isSentAlone === true && base.agent_id === null ? { begins_turn: true as const } : {}),
  }
  if (!notification.isAgent) return [shown]
  const failed = notification.status !== 'completed'
  const ended = {
    id: notification.taskId,
    type: null,
    lastText: notification.result,
    failed,
    durationMs: notification.durationMs,
  }
  return [shown, agentEndedDraft({ ...base }, ended)]
}
