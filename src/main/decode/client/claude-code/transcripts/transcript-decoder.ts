import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { agentStartedDraft } from '../agents.ts'
import { blockDrafts } from '../../../content-block.ts'
import { blockParents, failureIdentity, isoTime, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import {
  filledString,
  isObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  stringOf,
  wellFormed,
} from '../../../json-access.ts'
import type { HashText } from '../../../media.ts'
import type { TranscriptContext, TranscriptDecoder } from '../../../transcript-decoder.ts'
import { withDrift } from './drift.ts'
import { createLinePlaces, type LinePlace, type LinePlaces } from './line-place.ts'
import { createMessageTally } from './message-tally.ts'
import { otherLineDrafts, SILENT_TYPES } from './other-lines.ts'
import { systemLineDrafts } from './system-lines.ts'
import {
  compactCommandKey,
  queuedPromptDrafts,
  userLineDrafts,
  type CallMemory,
  type PendingBoundary,
} from './user-lines.ts'

/** How much of a line that is no JSON is kept. */
const MAX_BROKEN_CHARS = 64 * 1024
/** How the client has a cut answer resumed (2.1.330). */
const ASKED_TO_GO_ON = 'Your response above was cut off mid-stream.'
/** Calls whose result may still come. */
const MAX_CALLS = 10_000

/** Decodes a transcript file of Claude Code (`~/.claude/projects/…`, or an agent's own file). */
export function createTranscriptDecoder(context: TranscriptContext = {}): TranscriptDecoder {
  return new FileDecoder(context)
}

class FileDecoder implements TranscriptDecoder {
  readonly #hash: HashText
  readonly #agent: TranscriptContext['isAgentFile'] | null
  readonly #onUnknownField: TranscriptContext['onUnknownField']
  readonly #places: LinePlaces
  readonly #tally = createMessageTally()
  readonly #calls: CallMemory = new Map()
  readonly #startedAgents = new Set<string>()
  #boundary: PendingBoundary | null = null
  /** Line of the last summary for which no `/compact` command was seen yet. */
  #summaryLine: string | null = null
  #sessionId: string | null
  #lastTime = isoTime(0)

  constructor(context: TranscriptContext) {
    this.#hash = context.hash ?? ((text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32))
    this.#agent = context.isAgentFile ?? null
    this.#onUnknownField = context.onUnknownField
    this.#places = createLinePlaces(this.#agent?.agentId ?? null)
    this.#sessionId = sessionOfPath(context.path)
  }

  line(raw: string): AnyDraft[] {
    const text = raw.replace(/^\uFEFF/, '').replace(/\r?\n?$/, '')
    if (text.trim() === '') return []
    const parsed = parseJson(text)
    if (!isObject(parsed)) {
      return [this.#unknown('transcript:broken', text.slice(0, MAX_BROKEN_CHARS).toWellFormed(), text)]
    }
    const line = /\\ud[89a-f]/i.test(text) ? wellFormed(parsed) : parsed
    return withDrift(this.#decode(line, text), line, this.#onUnknownField)
  }

  end(): AnyDraft[] {
    // The summary may come with the next lines; its key joins it to this draft.
    const left = this.#boundary ? lostBoundary(this.#boundary) : []
    return [...this.#tally.tellAll(), ...left]
  }

  #decode(line: JsonObject, text: string): AnyDraft[] {
    const type = stringOf(line['type']) ?? ''
    if (SILENT_TYPES.has(type)) {
      this.#baseOf(line, { agentId: null, tail: [] })
      return []
    }
    const place = this.#places.of(line)
    const base = this.#baseOf(line, place)
    const started = this.#startOfAgent(line, base)
    switch (type) {
      case 'assistant':
        this.#places.settle(line, place)
        return [...started, ...this.#assistantLine(line, place, base)]
      case 'user':
        return [...started, ...this.#userLine(line, place, base)]
      case 'attachment': {
        const told = queuedPromptDrafts(base, line, this.#hash)
        this.#places.settle(line, place, told.tail)
        return [...started, ...told.drafts]
      }
      case 'system':
        this.#places.settle(line, place)
        return [...started, ...this.#systemLine(line, base)]
      default:
        this.#places.settle(line, place)
        return this.#otherLine(line, base, text)
    }
  }

  #baseOf(line: JsonObject, place: LinePlace): DraftBase {
    this.#sessionId = filledString(line['sessionId']) ?? this.#sessionId
    const time = Date.parse(stringOf(line['timestamp']) ?? '')
    if (!Number.isNaN(time)) this.#lastTime = isoTime(time)
    return {
      source: 'transcript',
      session_id: this.#sessionId ?? 'unnamed',
      agent_id: place.agentId,
      ts_wall: Number.isNaN(time) ? this.#lastTime : isoTime(time),
      ts_monotonic: null,
      project: filledString(line['cwd']),
      request_id: filledString(line['requestId']),
    }
  }

  #unknown(what: string, raw: Json, text: string): AnyDraft {
    const base = this.#baseOf(objectOf(raw), { agentId: this.#agent?.agentId ?? null, tail: [] })
    const uuid = filledString(objectOf(raw)['uuid'])
    const key = uuid ?? createHash('sha256').update(text).digest('hex').slice(0, 32)
    return { ...base, kind: 'unknown', payload: { what, raw }, keys: [naturalKey.line(key)], parents: [] }
  }

  #startOfAgent(line: JsonObject, base: DraftBase): AnyDraft[] {
    const agentId = base.agent_id
    if (agentId === null || this.#startedAgents.has(agentId)) return []
    this.#startedAgents.add(agentId)
    const meta = objectOf(this.#agent?.meta)
    const asked = textOfUser(line)
    return [
      agentStartedDraft(base, {
        id: agentId,
        type: filledString(meta['agentType']) ?? filledString(line['attributionAgent']),
        parentAgentId: filledString(meta['parentAgentId']),
        callId: filledString(meta['toolUseId']) ?? (asked === null ? null : callWithPrompt(this.#calls, asked)),
      }),
    ]
  }

  #assistantLine(line: JsonObject, place: LinePlace, base: DraftBase): AnyDraft[] {
    const message = objectOf(line['message'])
    const content = message['content']
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const uuid = filledString(line['uuid'])
    if (message['model'] === '<synthetic>' || line['isApiErrorMessage'] === true) {
      return [...this.#tally.close(base.agent_id), ...syntheticDrafts(base, line, blocks, place.tail)]
    }
    const messageId = filledString(message['id'])
    const taken = this.#tally.take(base, line, blocks.length, place.tail)
    const told = blocks.flatMap((block, at) => {
      const index = taken.index + at
      const isFirst = uuid !== null && at === 0
      const drafts = blockDrafts(
        base,
        block,
        {
          messageId,
          index,
          keys: isFirst ? [naturalKey.line(uuid)] : [],
          parents: blockParents(messageId, index, taken.tail),
          ...(isFirst ? { uuid } : {}),
        },
        this.#hash,
      )
      for (const draft of drafts) {
        if (draft.kind === 'assistant_text') this.#tally.lastText(base.agent_id, draft.payload.text)
        if (draft.kind === 'tool_call') rememberCall(this.#calls, draft.payload.call_id, draft.payload)
      }
      return drafts
    })
    return [...taken.drafts, ...told]
  }

  #userLine(line: JsonObject, place: LinePlace, base: DraftBase): AnyDraft[] {
    if (textOfUser(line)?.startsWith(ASKED_TO_GO_ON)) this.#tally.goesOn(base.agent_id)
    const told = userLineDrafts({ base, line, calls: this.#calls, hash: this.#hash, boundary: this.#boundary })
    if (told.usedBoundary) {
      this.#boundary = null
      this.#summaryLine = filledString(line['uuid'])
    }
    this.#places.settle(line, place, told.tail)
    // A prompt ends what came before it; a tool result may stand between two blocks of one message.
    const closed = told.isPrompt ? this.#tally.close(base.agent_id) : []
    return [...closed, ...told.drafts.map((draft) => this.#asCompactCommand(draft))]
  }

  #asCompactCommand(draft: AnyDraft): AnyDraft {
    if (draft.kind !== 'user_prompt' || this.#summaryLine === null) return draft
    const key = compactCommandKey(this.#summaryLine)
    this.#summaryLine = null
    return /^\/compact\b/.test(draft.payload.text) ? { ...draft, keys: [...draft.keys, key] } : draft
  }

  #systemLine(line: JsonObject, base: DraftBase): AnyDraft[] {
    const told = systemLineDrafts(base, line)
    const before = told.boundary && this.#boundary ? lostBoundary(this.#boundary) : []
    this.#boundary = told.boundary ?? this.#boundary
    return [...this.#tally.close(base.agent_id), ...before, ...told.drafts]
  }

  #otherLine(line: JsonObject, base: DraftBase, text: string): AnyDraft[] {
    // The client's account of its cost covers every message before it, so the open one is reported first.
    const closed = line['type'] === 'cost-state' ? this.#tally.close(null) : []
    const told = otherLineDrafts(base, line, this.#tally.lastMessageId(), this.#hash)
    const type = stringOf(line['type']) ?? ''
    return [...closed, ...(told ?? [this.#unknown(`transcript:${type || 'none'}`, line, text)])]
  }
}

/** A boundary whose summary never came is told without one. */
function lostBoundary(boundary: PendingBoundary): AnyDraft[] {
  return [
    {
      ...boundary.base,
      kind: 'compaction',
      payload: { ...boundary.sizes, summary: '' },
      keys: boundary.key === null ? [] : [boundary.key],
      parents: [],
    },
  ]
}

/** What the client itself says in the model's place: mostly an API error, as the user saw it. */
function syntheticDrafts(
  base: DraftBase,
  line: JsonObject,
  blocks: readonly Json[],
  tail: readonly string[],
): AnyDraft[] {
  const text = blocks.map((block) => stringOf(objectOf(block)['text']) ?? '').join('\n')
  const uuid = filledString(line['uuid'])
  const keys = uuid === null ? [] : [naturalKey.line(uuid)]
  if (line['isApiErrorMessage'] !== true) {
    if (text.trim() === '') return []
    return [{ ...base, kind: 'notification', payload: { text, level: 'client' }, keys, parents: [] }]
  }
  const type = filledString(line['error'])
  const status = numberOf(line['apiErrorStatus']) ?? numberOf(Number(/^API Error: (\d{3})\b/.exec(text)?.[1]))
  const payload = { origin: 'client' as const, type, message: text, status }
  const identity = failureIdentity(base.request_id, keys)
  const error: AnyDraft = {
    ...base,
    kind: 'error',
    payload,
    success: false,
    error_message: text,
    ...identity,
    parents: [],
    sighting: { shown: text },
  }
  if (base.agent_id !== null || text.trim() === '') return [error]
  // What the client shows in the model's place ends the turn, and its StopFailure hook says the same.
  const ended: AnyDraft = {
    ...base,
    kind: 'turn_ended',
    payload: { reason: type ?? 'failed', last_text: text },
    keys: uuid === null ? [] : [`${naturalKey.line(uuid)}:end`],
    text_identity: { text, within_ms: PROMPT_WINDOW_MS },
    parents: tail,
  }
  return [error, ended]
}

function rememberCall(
  calls: CallMemory,
  callId: string,
  call: { readonly tool_name: string; readonly input: Json },
): void {
  calls.set(callId, { name: call.tool_name, input: call.input })
  const eldest = calls.keys().next()
  if (calls.size > MAX_CALLS && !eldest.done) calls.delete(eldest.value)
}

function callWithPrompt(calls: CallMemory, prompt: string): string | null {
  for (const [callId, call] of calls) if (objectOf(call.input)['prompt'] === prompt) return callId
  return null
}

function textOfUser(line: JsonObject): string | null {
  const { content } = objectOf(line['message'])
  if (typeof content === 'string') return content
  return stringOf(objectOf(listOf(content).find((block) => isObject(block) && block['type'] === 'text'))['text'])
}

/** `<session>.jsonl`, or `<session>/subagents/agent-<id>.jsonl`. */
function sessionOfPath(path: string | undefined): string | null {
  if (path === undefined) return null
  const parts = path.split(/[\\/]/)
  const folder = parts.lastIndexOf('subagents')
  const name = folder > 0 ? parts[folder - 1] : parts.at(-1)?.replace(/\.jsonl$/, '')
  return filledString(name)
}
