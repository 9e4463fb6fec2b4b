import { basename, dirname, join } from 'node:path'
import type { Json, JsonObject, Usage } from '../../../../shared/event.ts'
import { filledString, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { timeOf } from '../../line-time.ts'
import { countOf, totalTokens } from '../../usage.ts'
import { agentEndedDraft, agentStartedDraft } from '../claude-code/agents.ts'
import { createLineDecoder, type LineReader } from '../line-decoder.ts'
import { LineDrafts, usageOf } from '../line-drafts.ts'
import { homesOf, type DecoderFacts, type TranscriptClient } from '../transcript-client.ts'
import { copilotAgent, copilotCli, copilotSession } from './client.ts'

const HEAD = /^\uFEFF?\{"type":"session\.start","data":\{"sessionId":"/
const PATH = /[\\/]session-state[\\/]([\w-]{8,128})[\\/]events\.jsonl$/
/** Lines of the client about itself. */
const TYPE = /^[a-z_]+\.[\w.]+$/

/** Copilot CLI keeps a folder for each session, with one file of its events and those of its agents (1.0.102). */
export const copilotSessions: TranscriptClient = {
  name: copilotCli.name,
  homes: (env, userHome) => homesOf(env['COPILOT_HOME'], join(userHome, '.copilot')),
  folders: (home) => [join(home, 'session-state')],
  hasName: (path) => PATH.test(path),
  beginsLike: (head) => HEAD.test(head),
  createDecoder: (path, _disk, facts) => createLineDecoder(new CopilotSession(path, facts), copilotCli.name, facts),
  isOfSession: (path, { session_id }) => copilotSession(PATH.exec(path)?.[1] ?? '') === session_id,
}

interface Agent {
  readonly id: string
  readonly type: string
  readonly callId: string
}

class CopilotSession implements LineReader {
  readonly drafts: LineDrafts
  /** By the client's ids. */
  readonly #agents = new Map<string, Agent>()
  readonly #tools = new Map<string, string | null>()
  readonly #results = new Map<string, string>()
  /** Calls without a result. */
  readonly #running = new Set<string>()
  #model = 'unknown'
  /** The client has recorded usage since it last began. */
  #hasUsage = false

  constructor(path: string, facts: DecoderFacts) {
    const sessionId = copilotSession(basename(dirname(path)))
    this.drafts = new LineDrafts({ client: copilotCli.name, sessionId, isUnnamed: false }, facts)
  }

  take(line: JsonObject): readonly AnyDraft[] | null {
    this.drafts.at = timeOf(line) ?? this.drafts.at
    const agent = filledString(line['agentId'])
    this.drafts.file = { ...this.drafts.file, agentId: agent === null ? null : (this.#agents.get(agent)?.id ?? agent) }
    const type = stringOf(line['type']) ?? ''
    if (!TYPE.test(type) && type !== 'abort') return null
    const key = naturalKey.line(
      filledString(line['id']) ?? `${this.drafts.file.sessionId}:${type}:${this.drafts.at ?? 0}`,
    )
    return this.#take(type, objectOf(line['data']), { key, agent })
  }

  #take(type: string, data: JsonObject, { key, agent }: { key: string; agent: string | null }): readonly AnyDraft[] {
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return this.#begin(data)
      case 'user.message':
        return this.#prompt(data, key)
      case 'session.shutdown':
        return this.#sums(objectOf(data['modelMetrics']), key)
      case 'session.usage_record':
        this.#hasUsage = true
        return this.#usage(objectOf(data['usage']), key)
      case 'assistant.message':
        return this.#answer(data, key)
      case 'tool.execution_complete':
        return [this.#result(data)]
      case 'subagent.started':
        return this.#agentStarted(data, agent ?? '')
      case 'subagent.completed':
      case 'subagent.failed':
        return this.#agentEnded(data, agent ?? '')
      case 'session.compaction_complete':
        return this.#compaction(data, key)
      case 'session.error':
        return [this.#failure(data, key)]
      case 'abort': {
        const payload = { name: 'interrupted', to: this.#running.size > 0 ? 'tool use' : 'answer' }
        this.#running.clear()
        return [{ ...this.drafts.base(), kind: 'state_change', payload, keys: [key], parents: [] }]
      }
      case 'session.title_changed':
        return this.drafts.title(filledString(data['title']), key)
      default:
        return []
    }
  }

  #begin(data: JsonObject): readonly AnyDraft[] {
    const id = filledString(data['sessionId'])
    this.drafts.file = {
      ...this.drafts.file,
      version: filledString(data['copilotVersion']) ?? this.drafts.file.version,
      sessionId: id === null ? this.drafts.file.sessionId : copilotSession(id),
      project: filledString(objectOf(data['context'])['cwd']) ?? this.drafts.file.project,
    }
    this.#model = filledString(data['selectedModel']) ?? this.#model
    return []
  }

  /** What the client or an agent says in a person's place names its source. */
  #prompt(data: JsonObject, key: string): readonly AnyDraft[] {
    const text = stringOf(data['content']) ?? ''
    const source = filledString(data['source']) ?? 'user'
    if (this.drafts.file.agentId !== null || source !== 'user' || text.trim() === '') return []
    return [this.drafts.prompt(text, key)]
  }

  #usage(usage: JsonObject, key: string): readonly AnyDraft[] {
    const purpose = stringOf(usage['interactionType'])
    const isAgents = this.drafts.file.agentId !== null
    const kind = purpose === 'conversation-compaction' ? 'compaction' : isAgents ? 'subagent' : null
    const model = filledString(usage['model']) ?? this.#model
    const of = { id: filledString(usage['apiCallId']), lineId: key, model, kind } as const
    return [this.drafts.usage(of, readUsage(usage))]
  }

  /** Older versions keep only the sums of each model, since the client began, and write them when it ends. */
  #sums(models: JsonObject, key: string): readonly AnyDraft[] {
    const isCounted = this.#hasUsage
    this.#hasUsage = false
    if (isCounted) return []
    return Object.entries(models).flatMap(([model, metrics]) => {
      const usage = readUsage(objectOf(objectOf(metrics)['usage']))
      const of = { id: null, lineId: `${key}:${model}`, model, kind: null }
      return totalTokens(usage) === 0 ? [] : [this.drafts.usage(of, usage)]
    })
  }

  #answer(data: JsonObject, key: string): readonly AnyDraft[] {
    const requests = listOf(data['toolRequests']).map(objectOf)
    for (const { toolCallId, name } of requests) {
      this.#tools.set(stringOf(toolCallId) ?? '', filledString(name))
      this.#running.add(stringOf(toolCallId) ?? '')
    }
    const [thinking, text] = [filledString(data['reasoningText']), filledString(data['content'])]
    const blocks: Json[] = [
      ...(thinking === null ? [] : [{ type: 'thinking', thinking }]),
      ...(text === null ? [] : [{ type: 'text', text }]),
      ...requests.map((call) => ({
        type: 'tool_use',
        id: call['toolCallId'] ?? null,
        name: call['name'] ?? null,
        input: call['arguments'] ?? {},
      })),
    ]
    return this.drafts.answer({
      id: filledString(data['apiCallId']),
      lineId: key,
      model: filledString(data['model']) ?? this.#model,
      blocks,
      usage: null,
      kind: null,
      endsTurn: requests.length === 0,
    })
  }

  #result(data: JsonObject): AnyDraft {
    const callId = stringOf(data['toolCallId']) ?? ''
    const isError = data['success'] === false
    const content = stringOf(objectOf(data[isError ? 'error' : 'result'])[isError ? 'message' : 'content']) ?? ''
    this.#results.set(callId, content)
    this.#running.delete(callId)
    const facts = { callId, toolName: this.#tools.get(callId) ?? null, content, isError }
    return this.drafts.result(this.drafts.resultOf(facts))
  }

  #agentStarted(data: JsonObject, agentId: string): readonly AnyDraft[] {
    const callId = stringOf(data['toolCallId']) ?? ''
    const type = filledString(data['agentType']) ?? filledString(data['agentName']) ?? 'agent'
    const id = copilotAgent(type, callId)
    this.#agents.set(agentId, { id, type, callId })
    return [agentStartedDraft(this.drafts.base(), { id, type, parentAgentId: null, callId })]
  }

  #agentEnded(data: JsonObject, agentId: string): readonly AnyDraft[] {
    const agent = this.#agents.get(agentId)
    if (agent === undefined) return []
    const error = filledString(data['error'])
    const lastText = error ?? filledString(this.#results.get(agent.callId))
    const durationMs = numberOf(data['durationMs'])
    return [agentEndedDraft(this.drafts.base(), { ...agent, lastText, failed: error !== null, durationMs })]
  }

  #compaction(data: JsonObject, key: string): readonly AnyDraft[] {
    const summary = filledString(data['summaryContent'])
    if (data['success'] === false || summary === null) return []
    const told = stringOf(data['trigger'])
    const used = data['compactionTokensUsed']
    return this.drafts.compaction({
      lineId: key,
      summary,
      trigger: told === 'manual' ? 'manual' : told === null ? 'unknown' : 'auto',
      tokensBefore: numberOf(data['preCompactionTokens']),
      tokensAfter: numberOf(data['postCompactionTokens']),
      model: filledString(data['model']) ?? this.#model,
      usage: used === undefined ? null : readUsage(objectOf(used)),
    })
  }

  #failure(data: JsonObject, key: string): AnyDraft {
    const of = { status: numberOf(data['statusCode']), requestId: filledString(data['providerCallId']) }
    return this.drafts.failure(filledString(data['message']), key, of)
  }
}

/** Reads the client's counts, in which cached tokens are part of the input. */
function readUsage(raw: JsonObject): Usage {
  const count = (name: string) => countOf(raw[name]) ?? 0
  const [read, written] = [count('cacheReadTokens'), count('cacheWriteTokens')]
  const input = Math.max(0, count('inputTokens') - read - written)
  return usageOf({ input, output: count('outputTokens'), read, written, thinking: raw['reasoningTokens'] })
}
