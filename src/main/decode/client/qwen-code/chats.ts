import { basename, join } from 'node:path'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { filledString, isObject, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { timeOf } from '../../line-time.ts'
import { countOf } from '../../usage.ts'
import { objectsIn } from '../../whole-records.ts'
import { agentStartedDraft, taskNotificationDrafts } from '../claude-code/agents.ts'
import { HeldPrompts } from '../held-prompts.ts'
import { createLineDecoder, type LineReader } from '../line-decoder.ts'
import { LineDrafts, usageOf } from '../line-drafts.ts'
import { homesOf, type DecoderFacts, type TranscriptClient } from '../transcript-client.ts'
import { qwenCode, qwenSession } from './client.ts'

/** Lines of Claude Code begin with another field, and have `content` where these have `parts`. */
const HEAD = /^\uFEFF?\{"uuid":"[^"]+","parentUuid":(?:null|"[^"]+"),"sessionId":"[^"]+","timestamp":"[^"]+","type":"/
const TYPES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'system'])
/** Agents that the client starts for itself: they keep memories of the conversation. */
const OWN_AGENT = /^managed-/

const isOwnLine = (line: JsonObject): boolean =>
  filledString(line['sessionId']) !== null && Array.isArray(objectOf(line['message'])['parts'])

/** Qwen Code keeps a file for each session, and one for each of its agents (0.24.4). */
export const qwenCodeChats: TranscriptClient = {
  name: qwenCode.name,
  homes: (env, userHome) => homesOf(env['QWEN_HOME'], join(userHome, '.qwen')),
  folders: (home) => [join(home, 'projects')],
  // Files of Claude Code have such names, too: these are known by their lines.
  hasName: () => false,
  beginsLike: (head) => HEAD.test(head) || objectsIn(head).some(isOwnLine),
  createDecoder: (path, _disk, facts) => createLineDecoder(new QwenChat(path, facts), qwenCode.name, facts),
  mainFileOf(path) {
    const [, project, session] = /^(.*)[\\/]subagents[\\/]([\da-f-]{36})[\\/]agent-[^\\/]+$/.exec(path) ?? []
    return project === undefined ? null : join(project, 'chats', `${session}.jsonl`)
  },
  isOfSession: (path, { session_id }) => path.includes(session_id.replace(/^qwen-/, '')),
}

class QwenChat implements LineReader {
  readonly drafts: LineDrafts
  readonly #held: HeldPrompts
  /** Id of the response that the next answer belongs to. */
  #responseId: string | null = null
  /** Its usage was in an own line. */
  #isCounted = false
  #hasStarted = false

  constructor(path: string, facts: DecoderFacts) {
    this.#held = new HeldPrompts(facts)
    const sessionId = qwenSession(basename(path).replace(/\.jsonl.*$/, ''))
    this.drafts = new LineDrafts({ client: qwenCode.name, sessionId, isUnnamed: true }, facts)
  }

  take(line: JsonObject): readonly AnyDraft[] | null {
    this.drafts.at = timeOf(line) ?? this.drafts.at
    const sessionId = filledString(line['sessionId'])
    this.drafts.file = {
      ...this.drafts.file,
      version: filledString(line['version']) ?? this.drafts.file.version,
      sessionId: sessionId === null ? this.drafts.file.sessionId : qwenSession(sessionId),
      agentId: filledString(line['agentId']),
      project: filledString(line['cwd']) ?? this.drafts.file.project,
    }
    const type = stringOf(line['type']) ?? ''
    return TYPES.has(type) ? this.#held.take(this.#take(type, line)) : null
  }

  end(): readonly AnyDraft[] {
    return this.#held.end()
  }

  #take(type: string, line: JsonObject): readonly AnyDraft[] {
    const uuid = filledString(line['uuid']) ?? `${this.drafts.file.sessionId}:${this.drafts.at ?? 0}`
    switch (type) {
      case 'user':
        return this.#user(line, uuid)
      case 'assistant':
        return this.#answer(line, uuid)
      case 'tool_result':
        return listOf(objectOf(line['message'])['parts']).flatMap((part) => this.#result(line, objectOf(part)))
      default:
        return this.#system(line, objectOf(line['systemPayload']), uuid)
    }
  }

  #user(line: JsonObject, uuid: string): readonly AnyDraft[] {
    const texts = partTexts(line['message'])
    if (this.drafts.file.agentId !== null) return this.#agentStart(line, this.drafts.file.agentId)
    const text = texts.join('\n')
    if (line['subtype'] === 'notification')
      return taskNotificationDrafts(this.drafts.base(), text, uuid === null ? {} : { key: naturalKey.line(uuid) })
    const isOthers = line['provenance'] !== undefined && line['provenance'] !== 'real_user'
    if (isOthers || text.trim() === '') return []
    return [this.drafts.prompt(text, naturalKey.line(uuid))]
  }

  /** The first line of an agent's file is its prompt, which the call has, too. */
  #agentStart(line: JsonObject, agentId: string): readonly AnyDraft[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const type = filledString(line['agentName'])
    const callId = type !== null && agentId.startsWith(`${type}-`) ? agentId.slice(type.length + 1) : null
    return [agentStartedDraft(this.drafts.base(), { id: agentId, type, parentAgentId: null, callId })]
  }

  #answer(line: JsonObject, uuid: string): readonly AnyDraft[] {
    const blocks = listOf(objectOf(line['message'])['parts']).flatMap(asBlock)
    const isCounted = this.#isCounted || this.drafts.file.agentId !== null
    const drafts = this.drafts.answer({
      id: this.#responseId,
      lineId: uuid,
      model: filledString(line['model']) ?? 'unknown',
      blocks,
      usage: isCounted || !isObject(line['usageMetadata']) ? null : usageOf(countsOfMetadata(line['usageMetadata'])),
      kind: null,
      endsTurn: !blocks.some((block) => block['type'] === 'tool_use'),
    })
    this.#responseId = null
    this.#isCounted = false
    return drafts
  }

  #result(line: JsonObject, part: JsonObject): readonly AnyDraft[] {
    const answered = objectOf(part['functionResponse'])
    const callId = filledString(answered['id'])
    if (callId === null) return []
    const response = objectOf(answered['response'])
    const error = stringOf(response['error'])
    const outcome = objectOf(line['toolCallResult'])
    const isError = error !== null || outcome['status'] === 'error'
    const draft = this.drafts.resultOf({
      callId,
      toolName: filledString(answered['name']),
      content: error ?? response['output'] ?? '',
      isError,
      denialKind: outcome['status'] === 'cancelled' ? 'user' : null,
    })
    return [this.drafts.result(draft)]
  }

  #system(line: JsonObject, payload: JsonObject, uuid: string): readonly AnyDraft[] {
    switch (stringOf(line['subtype'])) {
      case 'ui_telemetry':
        return this.#telemetry(objectOf(payload['uiEvent']), uuid)
      case 'chat_compression':
        return this.#compaction(payload, uuid)
      case 'custom_title':
        return this.drafts.title(filledString(payload['customTitle']), naturalKey.line(uuid))
      default:
        return []
    }
  }

  /** The client's own account of a request: only here are the response's id and the requests of its own agents. */
  #telemetry(event: JsonObject, uuid: string): readonly AnyDraft[] {
    const name = stringOf(event['event.name'])
    if (name === 'qwen-code.api_error') {
      const message = filledString(event['error_message']) ?? filledString(event['error'])
      return [this.drafts.failure(message, naturalKey.line(uuid), { status: numberOf(event['status_code']) })]
    }
    if (name !== 'qwen-code.api_response') return []
    const id = filledString(event['response_id'])
    const agent = filledString(event['subagent_id'])
    const isOwnAgent = agent !== null && OWN_AGENT.test(agent)
    if (agent === null) {
      this.#responseId = id
      this.#isCounted = true
    }
    const base = { ...this.drafts.base(), agent_id: isOwnAgent ? null : agent }
    const kind = agent === null ? null : isOwnAgent ? 'side_call' : 'subagent'
    const model = filledString(event['model']) ?? 'unknown'
    return [this.drafts.usage({ id, lineId: `${uuid}:usage`, model, kind }, usageOf(countsOfEvent(event)), base)]
  }

  #compaction(payload: JsonObject, uuid: string): readonly AnyDraft[] {
    const info = objectOf(payload['info'])
    const reason = stringOf(info['triggerReason'])
    const [first] = listOf(payload['compressedHistory'])
    return this.drafts.compaction({
      lineId: uuid,
      // The client tells the model to go on, behind what the model wrote.
      summary: partTexts(first)
        .join('\n')
        .replace(/\n\nResume the prior task using the summary above\.[\s\S]*$/, ''),
      trigger: reason === null ? 'unknown' : reason === 'manual' ? 'manual' : 'auto',
      tokensBefore: numberOf(info['originalTokenCount']),
      tokensAfter: numberOf(info['newTokenCount']),
      model: 'unknown',
      usage: null,
    })
  }
}

/** Returns a part in the form of a block of the API. */
function asBlock(part: Json): readonly JsonObject[] {
  const { text, thought, functionCall } = objectOf(part)
  if (typeof text === 'string')
    return [thought === true ? { type: 'thinking', thinking: text } : { type: 'text', text }]
  const call = objectOf(functionCall)
  const id = filledString(call['id'])
  return id === null ? [] : [{ type: 'tool_use', id, name: call['name'] ?? null, input: call['args'] ?? {} }]
}

const partTexts = (message: Json | undefined): readonly string[] =>
  listOf(objectOf(message)['parts']).flatMap((part) => stringOf(objectOf(part)['text']) ?? [])

/** The client counts what the cache read as input, and does not say what was written to it. */
function counts(input: Json | undefined, read: Json | undefined, output: Json | undefined, thinking: Json | undefined) {
  const cached = countOf(read) ?? 0
  const thoughts = countOf(thinking) ?? 0
  const all = { input: Math.max(0, (countOf(input) ?? 0) - cached), output: countOf(output) ?? 0 }
  return { ...all, read: cached, written: 0, thinking: thoughts === 0 ? null : thoughts }
}

const countsOfEvent = (event: JsonObject) =>
  counts(
    event['input_token_count'],
    event['cached_content_token_count'],
    event['output_token_count'],
    event['thoughts_token_count'],
  )

const countsOfMetadata = (usage: JsonObject) =>
  counts(
    usage['promptTokenCount'],
    usage['cachedContentTokenCount'],
    usage['candidatesTokenCount'],
    usage['thoughtsTokenCount'],
  )
