import { basename, dirname, join } from 'node:path'
import type { Json, JsonObject, Usage } from '../../../../shared/event.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { plausibleTime } from '../../line-time.ts'
import { toolResultDraft } from '../../tool-result.ts'
import { countOf } from '../../usage.ts'
import { agentEndedDraft, agentStartedDraft } from '../claude-code/agents.ts'
import { createLineDecoder, type LineReader } from '../line-decoder.ts'
import { LineDrafts, usageOf, type LineFile } from '../line-drafts.ts'
import { textsOf } from '../message-texts.ts'
import type { DecoderFacts, TranscriptClient } from '../transcript-client.ts'
import { kimiAgent, kimiCode } from './client.ts'

/** The lines of its forerunner, kimi-cli, begin with their time. */
const HEAD = /^\uFEFF?\{"type":"metadata","protocol_version":"(?![^]*\n\{"timestamp":)/
const PATH = /[\\/](session_[\w-]{8,128})[\\/]agents[\\/]([\w-]+)[\\/]wire\.jsonl$/

/** Kimi Code keeps a folder for each session, with a file for each of its agents (protocol 1.5 of 2.1.0). */
export const kimiCodeSessions: TranscriptClient = {
  name: kimiCode.name,
  homes(env, userHome) {
    const named = env['KIMI_CODE_HOME'] ?? ''
    return [...(named === '' ? [] : [named]), join(userHome, '.kimi-code')]
  },
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
  readonly #facts: DecoderFacts
  readonly #hash: (text: string) => string
  readonly #drafts: LineDrafts
  readonly #steps = new Map<string, Step>()
  readonly #calls = new Map<string, { readonly name: string | null; readonly prompt: string; readonly step: Step }>()
  /** Our ids of agents that this one started, by the client's. */
  readonly #agents = new Map<string, { readonly id: string; readonly type: string | null; readonly callId: string }>()
  readonly #isMain: boolean
  #file: LineFile
  #at: number | null = null
  #model = 'unknown'
  #trigger: 'auto' | 'manual' | 'unknown' = 'unknown'
  /** Usage of a request for a summary: the line with the summary follows. */
  #summaryUsage: Usage | null = null
  #isSummary = false

  constructor(path: string, facts: DecoderFacts) {
    this.#facts = facts
    this.#hash = facts.hash ?? ((text) => text)
    this.#drafts = new LineDrafts(this.#hash)
    const [, session, agent = basename(dirname(path))] = PATH.exec(path) ?? []
    this.#isMain = agent === 'main' || session === undefined
    // A copy of the file alone does not name its session.
    const sessionId = session ?? `session_${this.#hash(path).slice(0, 24)}`
    this.#file = { client: kimiCode.name, version: null, sessionId, agentId: null, project: null, isUnnamed: false }
  }

  base(): DraftBase {
    return this.#drafts.base(this.#file, this.#at ?? this.#facts.fileTime?.() ?? 0)
  }

  take(line: JsonObject): readonly AnyDraft[] {
    this.#at = plausibleTime(numberOf(line['time']) ?? numberOf(line['created_at']) ?? Number.NaN) ?? this.#at
    switch (stringOf(line['type'])) {
      case 'profile.bind':
        this.#file = {
          ...this.#file,
          project: kimiCode.directory.exec(stringOf(line['systemPrompt']) ?? '')?.[1] ?? this.#file.project,
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
    if (!this.#isMain && name === 'subagent' && this.#file.agentId === null) {
      const id = kimiAgent(this.#file.sessionId, texts[0] ?? '', this.#hash)
      this.#file = { ...this.#file, agentId: id }
      return [agentStartedDraft(this.base(), { id, type: null, parentAgentId: null, callId: null })]
    }
    const text = texts.join('\n')
    if (kind !== 'user' || message['role'] !== 'user' || text.trim() === '') return []
    const id = filledString(message['id']) ?? `${this.#file.sessionId}:${this.#at ?? 0}`
    return [this.#drafts.prompt(this.base(), text, `kimi-prompt:${id}`)]
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
    const draft = toolResultDraft(
      this.base(),
      {
        callId,
        toolName: call?.name ?? null,
        content: result['output'] ?? '',
        isError: result['isError'] === true,
        durationMs: numberOf(result['durationMs']),
      },
      this.#hash,
      { parents: [naturalKey.call(callId)] },
    )
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
    return draft.kind === 'tool_result' ? this.#drafts.result(draft) : draft
  }

  #stepEnd(event: JsonObject, uuid: string): readonly AnyDraft[] {
    const { blocks, results } = this.#stepOf(uuid)
    this.#steps.delete(uuid)
    const id = filledString(event['messageId'])
    const answer = this.#drafts.answer(this.base(), {
      id,
      lineId: uuid,
      model: this.#model,
      blocks,
      usage: event['usage'] === undefined ? null : readUsage(event['usage']),
      kind: this.#file.agentId === null ? null : 'subagent',
      endsTurn: event['finishReason'] === 'end_turn',
    })
    return [...answer, ...results.map((draft) => this.#told(draft))]
  }

  #compaction(line: JsonObject): readonly AnyDraft[] {
    const usage = this.#summaryUsage
    this.#summaryUsage = null
    return this.#drafts.compaction(this.base(), {
      lineId: `${this.#file.sessionId}:${this.#at ?? 0}`,
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
    const id = kimiAgent(this.#file.sessionId, call.prompt, this.#hash)
    this.#agents.set(stringOf(line['subagentId']) ?? '', { id, type, callId })
    return this.#behind(callId, agentStartedDraft(this.base(), { id, type, parentAgentId: this.#file.agentId, callId }))
  }

  #ended(line: JsonObject): readonly AnyDraft[] {
    const agent = this.#agents.get(stringOf(line['subagentId']) ?? '')
    if (agent === undefined) return []
    const failed = line['type'] === 'subagent.failed'
    const lastText = filledString(line['resultSummary']) ?? filledString(line['error'])
    return this.#behind(agent.callId, agentEndedDraft(this.base(), { ...agent, lastText, failed }))
  }

  #failure(message: string | null, requestId: string | null): AnyDraft {
    return this.#drafts.failure(
      this.base(),
      message ?? 'error',
      `kimi-error:${this.#file.sessionId}:${this.#at}`,
      requestId,
    )
  }
}

/** Returns a part in the form of a block of the API. */
function asBlock(part: JsonObject): JsonObject {
  return part['type'] === 'think' ? { type: 'thinking', thinking: part['think'] ?? '' } : part
}

function readUsage(value: Json | undefined): Usage {
  const raw = objectOf(value)
  const count = (name: string) => countOf(raw[name]) ?? 0
  return usageOf({
    input: count('inputOther'),
    output: count('output'),
    read: count('inputCacheRead'),
    written: count('inputCacheCreation'),
  })
}
