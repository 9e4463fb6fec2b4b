import { failureOrigin } from '../../../shared/failures.ts'
import type { Json, RequestKind, Usage } from '../../../shared/event.ts'
import { compactionSummary } from './claude-code/compaction.ts'
import { compactionKey } from '../compaction-key.ts'
import { blockDrafts } from '../content-block.ts'
import { blockParents, failureIdentity, isoTime, PROMPT_WINDOW_MS, type DraftBase } from '../draft-base.ts'
import { naturalKey, ownName, type AnyDraft, type EventDraft } from '../draft.ts'
import type { HashText } from '../media.ts'
import { toolResultDraft, type ToolResultFacts } from '../tool-result.ts'
import { countOf } from '../usage.ts'
import type { DecoderFacts } from './transcript-client.ts'

/** Facts of a file of lines. */
export interface LineFile {
  readonly client: string
  readonly version: string | null
  readonly sessionId: string
  readonly agentId: string | null
  readonly project: string | null
  /** True if the client's requests may name no session: their session then has an id of ours. */
  readonly isUnnamed: boolean
}

/** An answer of the model, as the client keeps it. */
export interface LineAnswer {
  /** Id of the message; null if the client keeps none. */
  readonly id: string | null
  /** Id of the line or step with it. */
  readonly lineId: string
  readonly model: string
  readonly blocks: readonly Json[]
  /** null: another line has it, or none. */
  readonly usage: Usage | null
  readonly kind: RequestKind | null
  /** True if it ended its turn. */
  readonly endsTurn: boolean
}

/** Makes the drafts of a file's facts, each with the fact that it follows as its parent. */
export class LineDrafts {
  readonly hash: HashText
  file: LineFile
  /** Time of the current line; null before the first that has one. */
  at: number | null = null
  readonly #fileTime: DecoderFacts['fileTime']
  #tail: readonly string[] = []
  #isNamed = false

  constructor(file: Pick<LineFile, 'client' | 'sessionId' | 'isUnnamed'>, { hash, fileTime }: DecoderFacts) {
    this.hash = hash ?? ((text) => text)
    this.file = { ...file, version: null, agentId: null, project: null }
    this.#fileTime = fileTime
  }

  /** Returns the fields of every draft of the current line. */
  base(): DraftBase & Marks {
    const { sessionId, agentId, project, client, version, isUnnamed } = this.file
    const sighting = this.#isNamed
      ? {}
      : { sighting: { client, ...(version === null ? {} : { client_version: version }) } }
    return {
      source: 'transcript',
      session_id: sessionId,
      agent_id: agentId,
      ts_wall: isoTime(this.at ?? this.#fileTime?.() ?? 0),
      ts_monotonic: null,
      project,
      ...(isUnnamed ? { may_be_unnamed: true as const } : {}),
      ...sighting,
    }
  }

  prompt(text: string, key: string): EventDraft<'user_prompt'> {
    const base = this.base()
    this.#isNamed = true
    this.#tail = [key]
    const parents: readonly string[] = []
    const identity = { text: text.trim(), within_ms: PROMPT_WINDOW_MS }
    return { ...base, kind: 'user_prompt', payload: { text }, keys: [key], text_identity: identity, parents }
  }

  /** Decodes a result, which follows its call. */
  resultOf(facts: ToolResultFacts): EventDraft<'tool_result'> {
    return toolResultDraft(this.base(), facts, this.hash, { parents: [naturalKey.call(facts.callId)] })
  }

  /** Returns the draft of a result that the next fact follows. */
  result(draft: EventDraft<'tool_result'>): EventDraft<'tool_result'> {
    this.#tail = draft.keys.slice(0, 1)
    return draft
  }

  /** Decodes a change of the session's title; none if there is no title. */
  title(title: string | null, key: string): readonly AnyDraft[] {
    const payload = { name: 'custom_title', to: title }
    return title === null ? [] : [{ ...this.base(), kind: 'state_change', payload, keys: [key], parents: [] }]
  }

  answer(answer: LineAnswer): readonly AnyDraft[] {
    const base = this.base()
    this.#isNamed = true
    const { id: messageId } = answer
    const { named, name } = partOf(base, messageId, answer.lineId)
    const blocks = answer.blocks.flatMap((block, index) => {
      const parents = blockParents(name, index, this.#tail)
      return blockDrafts(named, block, { messageId, index, keys: [], parents }, this.hash)
    })
    if (answer.blocks.length > 0) this.#tail = blockParents(name, answer.blocks.length, this.#tail)
    const usage = answer.usage === null ? [] : [this.usage(answer, answer.usage, base)]
    if (!answer.endsTurn || base.agent_id !== null) return [...blocks, ...usage]
    const texts = blocks.flatMap((draft) => (draft.kind === 'assistant_text' ? [draft.payload.text] : []))
    const lastText = texts.at(-1) ?? null
    const identity = lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }
    const ended: EventDraft<'turn_ended'> = {
      ...named,
      ...identity,
      kind: 'turn_ended',
      payload: { reason: 'end_turn', last_text: lastText },
      keys: [naturalKey.turnEnd(name)],
      parents: this.#tail,
    }
    return [...blocks, ...usage, ended]
  }

  /** Decodes the usage of an answer, whose blocks may be elsewhere. */
  usage(
    { id, lineId, model, kind }: Pick<LineAnswer, 'id' | 'lineId' | 'model' | 'kind'>,
    usage: Usage,
    base: DraftBase = this.base(),
  ): EventDraft<'api_usage'> {
    const { named, name } = partOf(base, id, lineId)
    const facts = { usage, basis: 'measured' as const, model }
    return {
      ...named,
      kind: 'api_usage',
      payload: { message_id: id, ...facts, request_kind: kind, ttft_ms: null },
      keys: [naturalKey.usage(name)],
      parents: this.#tail,
      sighting: { ...named.sighting, ...facts },
    }
  }

  /** Decodes a compaction and, if the client keeps it, the usage of its request. */
  compaction(of: LineCompaction): readonly AnyDraft[] {
    const base = this.base()
    const { named, name } = partOf(base, null, of.lineId)
    const summary = compactionSummary(of.summary)
    const facts = { trigger: of.trigger, tokens_before: of.tokensBefore, tokens_after: of.tokensAfter ?? null }
    const key = naturalKey.block(name, 0)
    const drafts: AnyDraft[] = [
      {
        ...base,
        kind: 'compaction',
        payload: { ...facts, summary },
        keys: [compactionKey(base.session_id, summary), key],
        parents: this.#tail,
        sighting: { ...sightingOf(base), ...facts },
      },
    ]
    this.#tail = [key]
    if (of.usage === null) return drafts
    return [
      ...drafts,
      this.usage({ id: null, lineId: of.lineId, model: of.model, kind: 'compaction' }, of.usage, named),
    ]
  }

  /** Decodes a failed request. */
  failure(text: string | null, key: string, of: FailedRequest = {}): EventDraft<'error'> {
    const told = text ?? 'error'
    const isWhole = of.status === undefined || of.status === null || told.startsWith(String(of.status))
    const message = isWhole ? told : `${of.status} ${told}`
    const status = /^\s*(\d{3})\b/.exec(message)?.[1]
    const type = /"type":\s*"(\w+_error)"/.exec(message)?.[1] ?? null
    const payload = {
      origin: failureOrigin(message, 'upstream'),
      type,
      message,
      status: status === undefined ? null : Number(status),
    }
    const identity = failureIdentity(of.requestId, [key])
    return {
      ...this.base(),
      kind: 'error',
      payload,
      success: false,
      error_message: message,
      ...identity,
      parents: this.#tail,
    }
  }
}

/** Facts of a failed request that are not in the message; the status may be. */
interface FailedRequest {
  readonly status?: number | null
  readonly requestId?: string | null
}

type Marks = Pick<EventDraft, 'may_be_unnamed' | 'sighting'>

export interface LineCompaction {
  readonly lineId: string
  readonly summary: string
  readonly trigger: 'auto' | 'manual' | 'unknown'
  readonly tokensBefore: number | null
  readonly tokensAfter?: number | null
  readonly model: string
  readonly usage: Usage | null
}

const sightingOf = (base: DraftBase): Marks['sighting'] => (base as DraftBase & Marks).sighting ?? {}

/** Returns an answer's name in keys, and the fields of its drafts. */
function partOf(base: DraftBase & Marks, id: string | null, lineId: string) {
  const own = ownName.transcript(lineId)
  return { named: { ...base, answer: { id, own } }, name: id ?? own }
}

/** Makes a usage of the counts that clients keep. */
export function usageOf(
  counts: Readonly<Partial<Record<'input' | 'output' | 'read' | 'written' | 'writtenForAnHour' | 'thinking', unknown>>>,
): Usage {
  return {
    input_tokens: countOf(counts.input) ?? 0,
    output_tokens: countOf(counts.output) ?? 0,
    cache_read_input_tokens: countOf(counts.read) ?? 0,
    cache_creation_input_tokens: countOf(counts.written) ?? 0,
    cache_creation_1h_input_tokens: countOf(counts.writtenForAnHour) ?? 0,
    thinking_tokens: countOf(counts.thinking),
    web_search_requests: 0,
    service_tier: null,
    speed: null,
    inference_geo: null,
  }
}
