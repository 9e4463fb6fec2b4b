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
import type { TranscriptContext, TranscriptDecoder } from '../../../transcript-decoder.ts'
import { withDrift } from './drift.ts'
import { createLinePlaces, type LinePlace } from './line-place.ts'
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

/** Decodes a transcript file of Claude Code (`~/.claude/projects/…`, also an agent's own file). */
export function createTranscriptDecoder(context: TranscriptContext = {}): TranscriptDecoder {
  const hash = context.hash ?? ((text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32))
  const agent = context.isAgentFile ?? null
  const places = createLinePlaces(agent?.agentId ?? null)
  const tally = createMessageTally()
  const calls: CallMemory = new Map()
  const startedAgents = new Set<string>()
  let boundary: PendingBoundary | null = null
  /** Line of the last summary that nobody is known to have asked for yet. */
  let summaryLine: string | null = null
  let sessionId = sessionOfPath(context.path)
  let lastTime = isoTime(0)

  function baseOf(line: JsonObject, place: LinePlace): DraftBase {
    sessionId = filledString(line['sessionId']) ?? sessionId
    const time = Date.parse(stringOf(line['timestamp']) ?? '')
    if (!Number.isNaN(time)) lastTime = isoTime(time)
    return {
      source: 'transcript',
      session_id: sessionId ?? 'unnamed',
      agent_id: place.agentId,
      ts_wall: Number.isNaN(time) ? lastTime : isoTime(time),
      ts_monotonic: null,
      project: filledString(line['cwd']),
      request_id: filledString(line['requestId']),
    }
  }

  function unknown(what: string, raw: Json, text: string): AnyDraft {
    const base = baseOf(objectOf(raw), { agentId: agent?.agentId ?? null, tail: [] })
    const uuid = filledString(objectOf(raw)['uuid'])
    const key = uuid ?? createHash('sha256').update(text).digest('hex').slice(0, 32)
    return { ...base, kind: 'unknown', payload: { what, raw }, keys: [naturalKey.line(key)], parents: [] }
  }

  function startOfAgent(line: JsonObject, base: DraftBase): AnyDraft[] {
    const agentId = base.agent_id
    if (agentId === null || startedAgents.has(agentId)) return []
    startedAgents.add(agentId)
    const meta = objectOf(agent?.meta)
    const asked = textOfUser(line)
    return [
      agentStartedDraft(base, {
        id: agentId,
        type: filledString(meta['agentType']) ?? filledString(line['attributionAgent']),
        parentAgentId: filledString(meta['parentAgentId']),
        callId: filledString(meta['toolUseId']) ?? (asked === null ? null : callWithPrompt(calls, asked)),
      }),
    ]
  }

  function assistantLine(line: JsonObject, place: LinePlace, base: DraftBase): AnyDraft[] {
    const message = objectOf(line['message'])
    const content = message['content']
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const uuid = filledString(line['uuid'])
    if (message['model'] === '<synthetic>' || line['isApiErrorMessage'] === true) {
      return [...tally.close(base.agent_id), ...syntheticDrafts(base, line, blocks, place.tail)]
    }
    const messageId = filledString(message['id'])
    const taken = tally.take(base, line, blocks.length, place.tail)
    const told = blocks.flatMap((block, at) => {
      const index = taken.index + at
      const drafts = blockDrafts(
        base,
        block,
        {
          messageId,
          index,
          keys: uuid === null || at > 0 ? [] : [naturalKey.line(uuid)],
          parents: blockParents(messageId, index, taken.tail),
          ...(uuid === null || at > 0 ? {} : { uuid }),
        },
        hash,
      )
      for (const draft of drafts) {
        if (draft.kind === 'assistant_text') tally.lastText(base.agent_id, draft.payload.text)
        if (draft.kind === 'tool_call') rememberCall(calls, draft.payload.call_id, draft.payload)
      }
      return drafts
    })
    return [...taken.drafts, ...told]
  }

  function asCompactCommand(draft: AnyDraft): AnyDraft {
    if (draft.kind !== 'user_prompt' || summaryLine === null) return draft
    const key = compactCommandKey(summaryLine)
    summaryLine = null
    return /^\/compact\b/.test(draft.payload.text) ? { ...draft, keys: [...draft.keys, key] } : draft
  }

  function decode(line: JsonObject, text: string): AnyDraft[] {
    const type = stringOf(line['type']) ?? ''
    if (SILENT_TYPES.has(type)) {
      baseOf(line, { agentId: null, tail: [] })
      return []
    }
    const place = places.of(line)
    const base = baseOf(line, place)
    const started = startOfAgent(line, base)
    if (type === 'assistant') {
      places.settle(line, place)
      return [...started, ...assistantLine(line, place, base)]
    }
    if (type === 'user') {
      if (textOfUser(line)?.startsWith(ASKED_TO_GO_ON)) tally.goesOn(base.agent_id)
      const told = userLineDrafts({ base, line, calls, hash, boundary })
      if (told.usedBoundary) {
        boundary = null
        summaryLine = filledString(line['uuid'])
      }
      places.settle(line, place, told.tail)
      // A prompt ends what came before it; a tool result may stand between two blocks of one message.
      const closed = told.isPrompt ? tally.close(base.agent_id) : []
      return [...started, ...closed, ...told.drafts.map(asCompactCommand)]
    }
    if (type === 'attachment') {
      const told = queuedPromptDrafts(base, line, hash)
      places.settle(line, place, told.tail)
      return [...started, ...told.drafts]
    }
    places.settle(line, place)
    if (type === 'system') {
      const told = systemLineDrafts(base, line)
      const before = told.boundary && boundary ? lostBoundary(boundary) : []
      boundary = told.boundary ?? boundary
      return [...started, ...tally.close(base.agent_id), ...before, ...told.drafts]
    }
    // What the client spent counts what is told by then.
    const closed = type === 'cost-state' ? tally.close(null) : []
    const told = otherLineDrafts(base, line, tally.lastMessageId(), hash)
    return [...closed, ...(told ?? [unknown(`transcript:${type || 'none'}`, line, text)])]
  }

  return {
    line(raw) {
      const text = raw.replace(/^\uFEFF/, '').replace(/\r?\n?$/, '')
      if (text.trim() === '') return []
      const parsed = parseJson(text)
      if (!isObject(parsed)) {
        return [unknown('transcript:broken', text.slice(0, MAX_BROKEN_CHARS).toWellFormed(), text)]
      }
      const line = /\\ud[89a-f]/i.test(text) ? wellFormed(parsed) : parsed
      return withDrift(decode(line, text), line, context.onUnknownField)
    },
    end() {
      // Its summary may come with the next lines, and finds it by its key.
      const left = boundary ? lostBoundary(boundary) : []
      return [...tally.tellAll(), ...left]
    },
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
