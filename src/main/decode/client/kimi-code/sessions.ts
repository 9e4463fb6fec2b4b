import { basename, dirname, join } from 'node:path'
import type { Json, JsonObject, Usage } from '../../../../shared/event.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { AnyDraft } from '../../draft.ts'
import { plausibleTime } from '../../line-time.ts'
import { agentEndedDraft, agentStartedDraft } from '../claude-code/agents.ts'
import { createLineDecoder, type LineReader } from '../line-decoder.ts'
import { LineDrafts, usageOf } from '../line-drafts.ts'
import { textsOf } from '../message-texts.ts'
import { homesOf, type DecoderFacts, type TranscriptClient } from '../transcript-client.ts'
import { kimiAgent, kimiCode } from './client.ts'

/** The lines of its forerunner, kimi-cli, begin with their time. */
const HEAD = /^\uFEFF?\{"type":"metadata","protocol_version":"(?![^]*\n\{"timestamp":)/
const PATH = /[\\/](session_[\w-]{8,128})[\\/]agents[\\/]([\w-]+)[\\/]wire\.jsonl$/

/** Kimi Code keeps a folder for each session, with a file for each of its agents (protocol 1.5 of 2.1.0). */
export const kimiCodeSessions: TranscriptClient = {
  name: kimiCode.name,
  homes: (env, userHome) => homesOf(env['KIMI_CODE_HOME'], join(userHome, '.kimi-code')),
  folders: (home) => [join(home, 'sessions')],
  hasName: (path) => PATH.test(path),
  beginsLike: (head) => HEAD.test(head),
  createDecoder: (path, _disk, facts) => createLineDecoder(new KimiSession(path, facts), kimiCode.name, facts),
  mainFileOf(path) {
    const agent = PATH.exec(path)?.[2] ?? 'main'
    return agent === 'main' ? null : join(dirname(dirname(path)), 'main', basename(path))
  },
  isOfSession: (path, { session_id }) => PATH.exec(path)?.[1] === session_id,
}

/** A step of a turn: one request and its answer. The line that ends it has the answer's id. */
interface Step {
  readonly blocks: Json[]
  readonly results: AnyDraft[]
}

class KimiSession implements LineReader {
  readonly drafts: LineDrafts
  readonly #steps = new Map<string, Step>()
  readonly #calls = new Map<string, { readonly name: string | null; readonly prompt: string; readonly step: Step }>()
  /** Our ids of agents that this one started, by the client's. */
  readonly #agents = new Map<string, { readonly id: string; readonly type: string | null; readonly callId: string }>()
  readonly #isMain: boolean
  #model = 'unknown'
  #trigger: 'auto' | 'manual' | 'unknown' = 'unknown'
  /** Usage of a request for a summary: the line with the summary follows. */
  #summaryUsage: Usage | null = null
  #isSummary = false

  constructor(path: string, facts: DecoderFacts) {
    const [, session, agent = basename(dirname(path))] = PATH.exec(path) ?? []
    this.#isMain = agent === 'main' || session === undefined
    // A copy of the file alone does not name its session.
    const sessionId = session ?? `session_${(facts.hash?.(path) ?? path).slice(0, 24)}`
    this.drafts = new LineDrafts({ client: kimiCode.name, sessionId, isUnnamed: false }, facts)
  }

  take(line: JsonObject): readonly AnyDraft[] {
    this.drafts.at =
      plausibleTime(numberOf(line['time']) ?? numberOf(line['created_at']) ?? Number.NaN) ?? this.drafts.at
    switch (stringOf(line['type'])) {
      case 'profile.bind':
        this.drafts.file = {
          ...this.drafts.file,
          project: kimiCode.directory.exec(stringOf(line['systemPrompt']) ?? '')?.[1] ?? this.drafts.file.project,
        }
        return []
      case 'llm.request':
        this.#model = filledString(line['model']) ?? this.#model
        this.#isSummary = line['kind'] === 'compaction'
        return []
      case 'usage.record':
        if (this.#isSummary) this.#summaryUsage = readUsage(line['usage'])
        return []
      case 'context.append_message':
        return this.#message(objectOf(line['message']))
      case 'context.append_loop_event':
        return this.#step(objectOf(line['event']))
      case 'full_compaction.begin':
        this.#trigger = line['source'] === 'auto' || line['source'] === 'manual' ? line['source'] : 'unknown'
        return []
      case 'context.apply_compaction':
        return this.#compaction(line)
      case 'subagent.spawned':
        return this.#spawned(line)
      case 'subagent.completed':
      case 'subagent.failed':
        return this.#ended(line)
      case 'turn.step.retrying':
        return [this.#failure(stringOf(line['errorMessage']), null)]
      case 'turn.ended': {
        const error = objectOf(line['error'])
        const requestId = filledString(objectOf(error['details'])['requestId'])
        return line['reason'] === 'failed' ? [this.#failure(stringOf(error['message']), requestId)] : []
      }
      // The other lines repeat these, or say how the client was set up.
      default:
        return []
    }
  }

  #message(message: JsonObject): readonly AnyDraft[] {
    const { kind, name } = objectOf(message['origin'])
    const texts = textsOf(message['content'])
    if (!this.#isMain && name === 'subagent' && this.drafts.file.agentId === null) {
      const id = kimiAgent(this.drafts.file.sessionId, texts[0] ?? '', this.drafts.hash)
      this.drafts.file = { ...this.drafts.file, agentId: id }
      return [agentStartedDraft(this.drafts.base(), { id, type: null, parentAgentId: null, callId: null })]
    }
    const text = texts.join('\n')
    if (kind !== 'user' || message['role'] !== 'user' || text.trim() === '') return []
    const id = filledString(message['id']) ?? `${this.drafts.file.sessionId}:${this.drafts.at ?? 0}`
    return [this.drafts.prompt(text, `kimi-prompt:${id}`)]
  }

  #step(event: JsonObject): readonly AnyDraft[] {
    const uuid = stringOf(event['stepUuid']) ?? stringOf(event['uuid']) ?? ''
    switch (stringOf(event['type'])) {
      case 'step.begin':
        this.#steps.clear()
        this.#stepOf(uuid)
        return []
      case 'content.part':
        this.#stepOf(uuid).blocks.push(asBlock(objectOf(event['part'])))
        return []
      case 'tool.call': {
        const id = stringOf(event['toolCallId']) ?? ''
        const name = filledString(event['name'])
        const step = this.#stepOf(uuid)
        this.#calls.set(id, { name, prompt: stringOf(objectOf(event['args'])['prompt']) ?? '', step })
        step.blocks.push({ type: 'tool_use', id, name, input: event['args'] ?? {} })
        return []
      }
      case 'tool.result':
        return this.#result(event)
      case 'step.end':
        return this.#stepEnd(event, uuid)
      default:
        return []
    }
  }

  #stepOf(uuid: string): Step {
    const known = this.#steps.get(uuid)
    if (known !== undefined) return known
    const step: Step = { blocks: [], results: [] }
    this.#steps.set(uuid, step)
    return step
  }

  #result(event: JsonObject): readonly AnyDraft[] {
    const callId = stringOf(event['toolCallId']) ?? ''
    const result = objectOf(event['result'])
    const call = this.#calls.get(callId)
    const draft = this.drafts.resultOf({
      callId,
      toolName: call?.name ?? null,
      content: result['output'] ?? '',
      isError: result['isError'] === true,
      durationMs: numberOf(result['durationMs']),
    })
    return this.#behind(callId, draft)
  }

  /** What came of a call follows the step that made it, whose end has the answer's id. */
  #behind(callId: string, draft: AnyDraft): readonly AnyDraft[] {
    const step = this.#calls.get(callId)?.step
    if (step === undefined || ![...this.#steps.values()].includes(step)) return [this.#told(draft)]
    step.results.push(draft)
    return []
  }

  #told(draft: AnyDraft): AnyDraft {
    return draft.kind === 'tool_result' ? this.drafts.result(draft) : draft
  }

  #stepEnd(event: JsonObject, uuid: string): readonly AnyDraft[] {
    const { blocks, results } = this.#stepOf(uuid)
    this.#steps.delete(uuid)
    const id = filledString(event['messageId'])
    const answer = this.drafts.answer({
      id,
      lineId: uuid,
      model: this.#model,
      blocks,
      usage: event['usage'] === undefined ? null : readUsage(event['usage']),
      kind: this.drafts.file.agentId === null ? null : 'subagent',
      endsTurn: event['finishReason'] === 'end_turn',
    })
    return [...answer, ...results.map((draft) => this.#told(draft))]
  }

  #compaction(line: JsonObject): readonly AnyDraft[] {
    const usage = this.#summaryUsage
    this.#summaryUsage = null
    return this.drafts.compaction({
      lineId: `${this.drafts.file.sessionId}:${this.drafts.at ?? 0}`,
      summary: stringOf(line['summary']) ?? '',
      trigger: this.#trigger,
      tokensBefore: numberOf(line['tokensBefore']),
      tokensAfter: numberOf(line['tokensAfter']),
      model: this.#model,
      usage,
    })
  }

  #spawned(line: JsonObject): readonly AnyDraft[] {
    const callId = stringOf(line['parentToolCallId']) ?? ''
    const call = this.#calls.get(callId)
    if (call === undefined) return []
    const type = filledString(line['subagentName'])
    const id = kimiAgent(this.drafts.file.sessionId, call.prompt, this.drafts.hash)
    this.#agents.set(stringOf(line['subagentId']) ?? '', { id, type, callId })
    return this.#behind(
      callId,
      agentStartedDraft(this.drafts.base(), { id, type, parentAgentId: this.drafts.file.agentId, callId }),
    )
  }

  #ended(line: JsonObject): readonly AnyDraft[] {
    const agent = this.#agents.get(stringOf(line['subagentId']) ?? '')
    if (agent === undefined) return []
    const failed = line['type'] === 'subagent.failed'
    const lastText = filledString(line['resultSummary']) ?? filledString(line['error'])
    return this.#behind(agent.callId, agentEndedDraft(this.drafts.base(), { ...agent, lastText, failed }))
  }

  #failure(message: string | null, requestId: string | null): AnyDraft {
    return this.drafts.failure(message, `kimi-error:${this.drafts.file.sessionId}:${this.drafts.at}`, { requestId })
  }
}

/** Returns a part in the form of a block of the API. */
function asBlock(part: JsonObject): JsonObject {
  return part['type'] === 'think' ? { type: 'thinking', thinking: part['think'] ?? '' } : part
}

function readUsage(value: Json | undefined): Usage {
  const raw = objectOf(value)
  const { inputOther: input, output, inputCacheRead: read, inputCacheCreation: written } = raw
  return usageOf({ input, output, read, written })
}
