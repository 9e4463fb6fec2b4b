import type { JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { AnyDraft, EventDraft } from '../../../draft.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import type { HashText } from '../../../media.ts'
import { contextTokens } from '../../../usage.ts'
import { codexId } from '../identity.ts'
import { SILENT_EVENTS } from './event-types.ts'
import { ItemLines, type KnownLine } from './item-lines.ts'
import { LimitLines } from './limit-lines.ts'
import { saidInEvent } from './prompts.ts'
import type { RolloutLine } from './rollout-line.ts'
import { lineKey } from './rollout-drafts.ts'
import { nameInPath, type RolloutThread } from './rollout-thread.ts'
import { agentStartDraft, compactionDraft, errorDraft, turnEndDraft } from './turn-lines.ts'
import { TurnStates } from './turn-state.ts'
import { CountedUsage, recordedUsage } from './usage-lines.ts'

/** Decodes the lines of one thread, in order. */
export class ThreadLines {
  readonly #thread: RolloutThread
  readonly #hash: HashText
  readonly #items: ItemLines
  readonly #turns = new TurnStates()
  readonly #counted: CountedUsage
  /** Usage that waits for the next line, which may assign it to a compaction. */
  #usage: EventDraft<'api_usage'> | null = null
  /** Tokens of the newest request. */
  #context: number | null = null
  readonly #limits = new LimitLines()
  #hasSpoken = false
  /** Somebody said something in the current task: `/compact` and `!` are tasks without. */
  #isTurn = true

  constructor(thread: RolloutThread, hash: HashText) {
    this.#thread = thread
    this.#hash = hash
    this.#items = new ItemLines(thread, hash)
    this.#counted = new CountedUsage(thread.threadId)
  }

  /** True once a line of a conversation was taken. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** The folder of the current turn; null if no line has named one. */
  get project(): string | null {
    return this.#turns.project
  }

  /** Returns the drafts for the start of the file. */
  started(base: DraftBase): readonly AnyDraft[] {
    const { agentId, threadId, parentThreadId, sessionId, agentType } = this.#thread
    if (agentId === null) return []
    const parent = parentThreadId === null ? null : codexId(parentThreadId)
    const parentAgentId = parent === sessionId ? null : parent
    return [agentStartDraft(base, { threadId, type: agentType, parentAgentId, callId: null })]
  }

  /** Takes a copied line without decoding it. */
  skip({ type, payload }: RolloutLine): void {
    this.#hasSpoken = true
    if (type === 'event_msg' && payload['type'] === 'token_count') this.#counted.copied(payload)
  }

  /** Returns the drafts of a line; null if its type is unknown. */
  take(known: KnownLine): readonly AnyDraft[] | null {
    this.#hasSpoken = true
    const drafts = this.#take(known, known.turn ?? this.#turns.current ?? '')
    if (drafts === null) return null
    this.#isTurn ||= drafts.some(isSaid)
    return [...this.#usageBefore(known), ...drafts]
  }

  /** Returns the drafts that are held back at the current end of the file. */
  end(): readonly AnyDraft[] {
    return [...this.#items.closeAll(), ...this.#flushUsage()]
  }

  #take(known: KnownLine, turn: string): readonly AnyDraft[] | null {
    const { line } = known
    switch (line.type) {
      case 'turn_context':
        this.#turns.context(line.payload, known.turn)
        return []
      case 'response_item':
        return this.#items.take(known, turn)
      case 'token_usage_record':
        return this.#recorded(known, turn)
      case 'compacted':
        return this.#compacted(known, turn)
      case 'event_msg':
        return this.#event(known, turn)
      case 'world_state':
      case 'inter_agent_communication_metadata':
        return []
      default:
        return null
    }
  }

  #recorded(known: KnownLine, turn: string): readonly AnyDraft[] {
    const record = known.line.payload
    const closed = this.#items.close(turn, filledString(record['response_id']))
    this.#counted.recorded(objectOf(record['usage']))
    this.#limits.answered(filledString(record['response_id']))
    const terms = { model: this.#turns.modelOf(known.turn), parents: closed.lastKeys, webSearches: closed.webSearches }
    const before = this.#flushUsage()
    this.#usage = recordedUsage(known.base, record, terms)
    if (this.#usage !== null) this.#context = contextTokens(this.#usage.payload.usage)
    return [...before, ...closed.drafts]
  }

  #compacted(known: KnownLine, turn: string): readonly AnyDraft[] {
    const { payload } = known.line
    const { drafts, lastKeys } = this.#items.close(turn, null)
    const newest = objectOf(objectOf(payload['latest_token_usage_record'])['usage'])
    const key = known.lineKey ?? lineKey(`${known.base.session_id}:${stringOf(payload['message']) ?? ''}`)
    const tokensBefore = numberOf(newest['input_tokens']) ?? this.#context
    return [...drafts, compactionDraft(known.base, payload, { lineKey: key, tokensBefore, parents: lastKeys })]
  }

  #event(known: KnownLine, turn: string): readonly AnyDraft[] | null {
    const event = known.line.payload
    const type = stringOf(event['type']) ?? 'none'
    switch (type) {
      case 'task_started':
      case 'turn_started':
        this.#turns.begin(known.turn)
        this.#isTurn = false
        return []
      case 'session_configured':
        this.#turns.context(event, known.turn)
        return []
      case 'user_message':
        return this.#said(known, turn, event)
      case 'item_completed':
        return this.#completed(known, turn, objectOf(event['item']))
      case 'exec_command_end':
      case 'patch_apply_end':
      case 'mcp_tool_call_end':
        this.#items.outcomes.take(type, event)
        return []
      case 'token_count':
        return this.#count(known, turn, event)
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        return this.#turnEnd(known, turn, event)
      case 'error':
        return known.isCopy || known.lineKey === null
          ? []
          : [errorDraft(known.base, event, known.lineKey, this.#items.tail)]
      case 'thread_rolled_back':
        return known.isCopy || known.lineKey === null ? [] : [rolledBack(known.base, event, known.lineKey)]
      case 'thread_name_updated':
        return known.isCopy ? [] : titleDrafts(known.base, event, this.#hash)
      case 'collab_agent_spawn_end':
        return this.#spawned(known, event, 'new_thread_id')
      case 'sub_agent_activity':
        return this.#spawned(known, event, 'agent_thread_id')
      default:
        return SILENT_EVENTS.has(type) ? [] : null
    }
  }

  #completed(known: KnownLine, turn: string, item: JsonObject): readonly AnyDraft[] {
    const type = stringOf(item['type']) ?? ''
    if (type === 'UserMessage') return this.#said(known, turn, item)
    if (type === 'SubAgentActivity') return this.#spawned(known, item, 'agent_thread_id')
    this.#items.outcomes.take(type, item)
    return []
  }

  #said(known: KnownLine, turn: string, event: JsonObject): readonly AnyDraft[] {
    // Older versions reported their own additions in the same way.
    const kind = filledString(event['kind'])
    if (kind !== null && kind !== 'plain') return []
    const said = this.#items.prompts.event(turn, saidInEvent(event, this.#hash))
    return said === null || known.isCopy ? [] : this.#items.prompt(known, turn, said)
  }

  #count(known: KnownLine, turn: string, event: JsonObject): readonly AnyDraft[] {
    if (known.isCopy) {
      this.#counted.copied(event)
      return []
    }
    const { drafts, lastKeys, webSearches } = this.#items.close(turn, null)
    // Some versions and relays name the model here alone.
    const { model = event['model'], model_name: name = null } = objectOf(event['info'])
    this.#turns.context({ model: model ?? name }, known.turn)
    const terms = { model: this.#turns.modelOf(known.turn ?? this.#turns.current), parents: lastKeys, webSearches }
    const usage = this.#counted.take(known.base, event, known.turn ?? this.#turns.current, terms)
    if (usage !== null) this.#context = contextTokens(usage.payload.usage)
    const limits = this.#limits.take(known.base, event, known.lineKey, lastKeys)
    return [...drafts, ...(usage === null ? [] : [usage]), ...limits]
  }

  #turnEnd(known: KnownLine, turn: string, event: JsonObject): readonly AnyDraft[] {
    const { drafts, lastKeys } = this.#items.close(turn, null)
    // A copied turn that continues elsewhere ends here only for the fork. An agent that was interrupted may be
    // continued.
    const isOpen = known.isCopy || (known.base.agent_id !== null && event['type'] === 'turn_aborted')
    const end = turnEndDraft(known.base, event, known.turn, lastKeys)
    const isTurn = this.#isTurn || drafts.some(isSaid) || end.kind !== 'turn_ended' || end.success === false
    return isOpen || !isTurn ? drafts : [...drafts, end]
  }

  /** An agent that a call of this thread started. */
  #spawned({ base, isCopy }: KnownLine, event: JsonObject, field: string): readonly AnyDraft[] {
    const threadId = filledString(event[field])
    const kind = filledString(event['kind'])
    if (threadId === null || isCopy || (kind !== null && kind !== 'started')) return []
    const callId = filledString(event['call_id']) ?? filledString(event['id'])
    const role = filledString(event['new_agent_role']) ?? filledString(event['agent_role'])
    const type = role ?? nameInPath(filledString(event['agent_path']))
    return [agentStartDraft(base, { threadId, type, parentAgentId: base.agent_id, callId })]
  }

  #usageBefore({ line }: KnownLine): readonly AnyDraft[] {
    const usage = this.#usage
    if (usage === null || line.type === 'token_usage_record') return []
    const isCompactions =
      line.type === 'compacted' && line.payload['compaction_response_id'] === usage.payload.message_id
    this.#usage = isCompactions ? { ...usage, payload: { ...usage.payload, request_kind: 'compaction' } } : usage
    return this.#flushUsage()
  }

  #flushUsage(): readonly AnyDraft[] {
    const usage = this.#usage
    this.#usage = null
    return usage === null ? [] : [usage]
  }
}

function rolledBack(base: DraftBase, event: JsonObject, key: string): AnyDraft {
  const payload = { name: 'rolled_back', to: { turns: numberOf(event['num_turns']) } }
  return { ...base, kind: 'state_change', payload, keys: [key], parents: [] }
}

/** A name that the user gave the thread. */
function titleDrafts(base: DraftBase, event: JsonObject, hash: HashText): readonly AnyDraft[] {
  const title = filledString(event['thread_name'])
  if (title === null || base.agent_id !== null) return []
  const payload = { name: 'custom_title', to: title }
  const keys = [`title:${base.session_id}:custom_title:${hash(title)}`]
  return [{ ...base, kind: 'state_change', payload, keys, parents: [] }]
}

const isSaid = ({ kind }: AnyDraft) => kind === 'user_prompt' || kind === 'assistant_text'
