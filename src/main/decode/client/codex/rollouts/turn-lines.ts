import { failureOrigin } from '../../../../../shared/failures.ts'
import type { JsonObject } from '../../../../../shared/event.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import type { AnyDraft, EventDraft } from '../../../draft.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { codexId, codexKey } from '../identity.ts'

/** Decodes the end of a turn: `task_complete` or `turn_aborted`. A subagent's turn is its run. */
export function turnEndDraft(
  base: DraftBase,
  event: JsonObject,
  turn: string | null,
  parents: readonly string[],
): AnyDraft {
  const isAborted = event['type'] === 'turn_aborted'
  const lastText = filledString(event['last_agent_message'])
  const failure = failureOf(event['error'])
  const reason = isAborted ? (filledString(event['reason']) ?? 'interrupted') : failure === null ? 'end_turn' : 'error'
  const error = failure ?? (isAborted ? reason : null)
  const common = { ...base, parents, ...(error === null ? {} : { success: false, error_message: error }) }
  if (base.agent_id !== null) {
    return {
      ...common,
      kind: 'agent_ended',
      payload: { agent_id: base.agent_id, agent_type: null, last_text: lastText },
      duration_ms: numberOf(event['duration_ms']),
      success: error === null,
      keys: [codexKey.agentEnd(base.agent_id)],
      parents: [codexKey.agentStart(base.agent_id)],
      sighting: { ...(lastText === null ? {} : { last_text: lastText }), failed: error !== null },
    }
  }
  return {
    ...common,
    kind: 'turn_ended',
    payload: { reason, last_text: lastText },
    keys: turn === null ? [] : [codexKey.turnEnd(base.session_id, turn)],
    ...(lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }),
  }
}

/** An error is an object with a message, or a text. */
const failureOf = (error: unknown): string | null => filledString(error) ?? filledString(objectOf(error)['message'])

/** Decodes an error that ended a turn. */
export function errorDraft(
  base: DraftBase,
  event: JsonObject,
  key: string,
  parents: readonly string[],
): EventDraft<'error'> {
  const message = filledString(event['message']) ?? 'error'
  return {
    ...base,
    kind: 'error',
    payload: { origin: failureOrigin(message, 'client'), type: errorType(event), message, status: null },
    success: false,
    error_message: message,
    keys: [key],
    text_identity: { text: message, within_ms: PROMPT_WINDOW_MS },
    parents,
  }
}

function errorType(event: JsonObject): string | null {
  const info = event['codex_error_info']
  return filledString(info) ?? Object.keys(objectOf(info))[0] ?? null
}

/** Decodes `compacted`. Newer versions keep no summary: it is encrypted for the API. */
export function compactionDraft(
  base: DraftBase,
  payload: JsonObject,
  of: { readonly lineKey: string; readonly tokensBefore: number | null; readonly parents: readonly string[] },
): EventDraft<'compaction'> {
  const id = filledString(payload['compaction_response_id'])
  const window = filledString(payload['window_id'])
  const summary = stringOf(payload['message']) ?? ''
  const sizes = { trigger: 'unknown' as const, tokens_before: of.tokensBefore, tokens_after: null }
  return {
    ...base,
    kind: 'compaction',
    payload: { ...sizes, summary, ...(summary === '' ? { withheld: true as const } : {}) },
    keys: [
      ...(id === null ? [] : [codexKey.compaction(base.session_id, id)]),
      ...(id === null && window === null ? [of.lineKey] : []),
      ...(window === null ? [] : [`codex-window:${window}`]),
    ],
    parents: of.parents,
    sighting: sizes,
  }
}

/** An agent's start: its own file names it, its parent's file has the call that started it. */
export function agentStartDraft(
  base: DraftBase,
  agent: {
    readonly threadId: string
    readonly type: string | null
    readonly parentAgentId: string | null
    readonly callId: string | null
  },
): EventDraft<'agent_started'> {
  const id = codexId(agent.threadId)
  const facts = { agent_type: agent.type, parent_agent_id: agent.parentAgentId, call_id: agent.callId }
  return {
    ...base,
    agent_id: id,
    kind: 'agent_started',
    payload: { agent_id: id, ...facts },
    keys: [codexKey.agentStart(id)],
    parents: agent.callId === null ? [] : [codexKey.call(base.session_id, agent.callId)],
    sighting: Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)),
  }
}
