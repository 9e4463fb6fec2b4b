import { createHash } from 'node:crypto'
import type { Exported } from '../../session-page/exported.ts'
import { answerFacts, answerNames, type AnswerFacts } from './claude-facts.ts'
import { INTERRUPTED_ANSWER, interruptionWords, outputWords, promptWords } from './claude-words.ts'
import { blocksWithoutMedia, mediaText } from '../../session-page/media-placeholder.ts'
import { settledItem } from '../../session-page/settled-item.ts'

type Payload = { readonly [key: string]: unknown }
type Line = { readonly [field: string]: unknown }

/** Usage of calls outside the conversation is written as that of one agent: a resumed session does not continue there. */
const SIDE_CALLS = 'side-calls'
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/**
 * Writes a session in Claude Code's transcript format, so that the client resumes it and readers of transcripts find
 * its tokens. `events` is called twice: an answer's usage follows its blocks in the log but belongs on their lines
 * here.
 */
export async function* claudeLines(events: () => AsyncIterable<Exported>): AsyncGenerator<string> {
  const writer = new ClaudeLines(await answerFacts(events()))
  for await (const exported of events()) for (const line of writer.linesOf(exported)) yield `${JSON.stringify(line)}\n`
}

class ClaudeLines {
  readonly #answers: ReadonlyMap<string, AnswerFacts>
  readonly #lastOf = new Map<string | null, string>()
  /** Answers whose usage is already on a line. */
  readonly #counted = new Set<string>()
  #version: string | null = null
  #branch: string | null = null
  #interrupted = new Set<string | null>()

  constructor(answers: ReadonlyMap<string, AnswerFacts>) {
    this.#answers = answers
  }

  linesOf(exported: Exported): Line[] {
    const { event } = exported
    const payload: Payload = event.payload
    this.#learn(payload)
    switch (event.kind) {
      case 'user_prompt':
        return this.#prompt(exported, settledItem(exported).event.payload)
      case 'thinking':
        return this.#answer(exported, { type: 'thinking', thinking: payload['text'], signature: '' })
      case 'assistant_text':
        return this.#answer(exported, { type: 'text', text: payload['text'] })
      case 'tool_call':
        return this.#call(exported, payload)
      case 'tool_result':
        return payload['server_side'] === true ? this.#serverResult(exported, payload) : this.#result(exported, payload)
      case 'api_usage':
        return this.#leftUsage(exported)
      case 'compaction':
        return this.#compaction(exported, payload)
      case 'model_response':
        return payload['cut_by'] === 'client' ? this.#interruption(exported, INTERRUPTED_ANSWER) : []
      case 'state_change':
      case 'notification':
        return this.#told(exported, payload)
      default:
        return []
    }
  }

  /** Version and branch are recorded when they change, but each line repeats them. */
  #learn(payload: Payload): void {
    const { client_version: version, git_branch: branch, headers } = payload
    if (typeof version === 'string') this.#version = version
    if (typeof branch === 'string') this.#branch = branch
    if (!Array.isArray(headers)) return
    for (const [name, value] of headers as readonly (readonly [string, string])[])
      if (name.toLowerCase() === 'user-agent') this.#version = /^claude-cli\/(\S+)/.exec(value)?.[1] ?? this.#version
  }

  /** Completes a line and makes the last line of its agent its parent. */
  #line({ event, keys }: Exported, fields: Line, own?: string): Line {
    const agent = event.agent_id
    const uuid = own ?? keys.find((key) => /^line:[^:]+$/.test(key))?.slice('line:'.length) ?? event.uuid
    const parentUuid = this.#lastOf.get(agent) ?? null
    this.#lastOf.set(agent, uuid)
    return {
      parentUuid,
      isSidechain: agent !== null,
      ...(agent === null ? {} : { agentId: agent }),
      userType: 'external',
      cwd: event.project,
      sessionId: event.session_id,
      ...(this.#version === null ? {} : { version: this.#version }),
      ...(this.#branch === null ? {} : { gitBranch: this.#branch }),
      ...fields,
      uuid,
      timestamp: event.ts_wall,
    }
  }

  #prompt(exported: Exported, payload: Payload): Line[] {
    this.#interrupted.delete(exported.event.agent_id)
    const references = Array.isArray(payload['media']) ? (payload['media'] as readonly Payload[]) : []
    const media = references.map((reference) => ({ type: 'text', text: mediaText(reference) }))
    // The API refuses empty text: a prompt of an image alone is that image's description.
    const isMediaOnly = payload['text'] === '' && media.length > 0
    const prompt = this.#line(exported, {
      type: 'user',
      // The client's own words, which another source took for a prompt.
      ...(payload['not_a_prompt'] === true ? { isMeta: true } : {}),
      message: { role: 'user', content: isMediaOnly ? media : promptWords(payload) },
    })
    if (isMediaOnly || media.length === 0) return [prompt]
    // The client's own words (isMeta), so that they are not read as part of the prompt.
    const fields = { type: 'user', isMeta: true, message: { role: 'user', content: media } }
    return [prompt, this.#line(exported, fields, derivedUuid(exported.event.uuid, 'media'))]
  }

  /** Returns the facts of an event's answer, and whether this is its first line, which counts it. */
  #factsOf(exported: Exported): { readonly facts: AnswerFacts | undefined; readonly isFirst: boolean } {
    const names = answerNames(exported)
    const isFirst = names.length > 0 && !names.some((name) => this.#counted.has(name))
    for (const name of names) this.#counted.add(name)
    return { facts: names.map((name) => this.#answers.get(name)).find((facts) => facts !== undefined), isFirst }
  }

  #answer(exported: Exported, block: object): Line[] {
    const { facts, isFirst } = this.#factsOf(exported)
    if (facts?.isSide === true) return []
    // Readers count an answer once by its message and request ids. Without a request id, they count each line.
    const usage = isFirst || exported.event.request_id !== null ? (facts?.usage ?? null) : NO_USAGE
    return [
      this.#answerLine(exported, [block], { ...facts, model: facts?.model ?? 'unknown', usage: usage ?? NO_USAGE }),
    ]
  }

  #answerLine(exported: Exported, content: readonly object[], facts: Partial<AnswerFacts>): Line {
    const { request_id: requestId, payload } = exported.event
    const { message_id: id = null, index }: Payload = payload
    return this.#line(exported, {
      type: 'assistant',
      ...(requestId === null ? {} : { requestId }),
      ...(typeof index === 'number' ? { apiBlockIndex: index } : {}),
      message: {
        role: 'assistant',
        type: 'message',
        id,
        model: facts.model,
        content,
        stop_reason: facts.stopReason ?? null,
        stop_sequence: null,
        usage: facts.usage,
      },
    })
  }

  #call(exported: Exported, payload: Payload): Line[] {
    const type = payload['server_side'] === true ? 'server_tool_use' : 'tool_use'
    const { call_id: id, tool_name: name, input } = payload
    return this.#answer(exported, { type, id, name, input })
  }

  /** The result of a tool that the API ran is a block of the answer. */
  #serverResult(exported: Exported, { call_id: id, tool_name: name, output }: Payload): Line[] {
    const type = typeof name === 'string' ? `${name}_tool_result` : 'tool_result'
    return this.#answer(exported, { type, tool_use_id: id, content: output })
  }

  #result(exported: Exported, payload: Payload): Line[] {
    const { call_id: id, output, is_error: isError, rejected } = payload
    const block = {
      type: 'tool_result',
      tool_use_id: id,
      content: blocksWithoutMedia(output),
      ...(isError === true ? { is_error: true } : {}),
    }
    const line = this.#line(exported, {
      type: 'user',
      ...(rejected === true ? { toolDenialKind: 'user-rejected' } : {}),
      message: { role: 'user', content: [block] },
    })
    return [line]
  }

  /** An answer without a block, and a call outside the conversation, were paid for too. */
  #leftUsage(exported: Exported): Line[] {
    // Its blocks may follow: an imported answer's usage can precede them. Those of a side call are left out.
    const { facts, isFirst } = this.#factsOf(exported)
    if (facts === undefined || !isFirst) return []
    const { event } = exported
    const side = { ...exported, event: { ...event, agent_id: event.agent_id ?? SIDE_CALLS } }
    return [this.#answerLine(side, [], facts)]
  }

  #compaction(exported: Exported, payload: Payload): Line[] {
    const { event } = exported
    const logicalParentUuid = this.#lastOf.get(event.agent_id) ?? null
    // The shortened conversation starts here: its boundary has no parent.
    this.#lastOf.delete(event.agent_id)
    const { trigger, tokens_before: before, tokens_after: after, summary } = payload
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      logicalParentUuid,
      compactMetadata: {
        trigger: trigger === 'manual' ? 'manual' : 'auto',
        ...(typeof before === 'number' ? { preTokens: before } : {}),
        ...(typeof after === 'number' ? { postTokens: after } : {}),
      },
    }
    const content =
      'This session is being continued from a previous conversation that ran out of context. ' +
      `The summary below covers the earlier portion of the conversation.\n\nSummary:\n${String(summary)}`
    const continued = {
      type: 'user',
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      message: { role: 'user', content },
    }
    return [
      this.#line(exported, boundary, derivedUuid(event.uuid, 'boundary')),
      this.#line(exported, continued, event.uuid),
    ]
  }

  #told(exported: Exported, payload: Payload): Line[] {
    const interruption = interruptionWords(payload)
    if (interruption !== null) return this.#interruption(exported, interruption)
    const output = outputWords(payload)
    if (output === null) return []
    return [this.#line(exported, { type: 'user', message: { role: 'user', content: output } })]
  }

  /** Writes an interruption once, however many sources report it, until the next prompt. */
  #interruption(exported: Exported, text: string): Line[] {
    const agent = exported.event.agent_id
    if (this.#interrupted.has(agent)) return []
    this.#interrupted.add(agent)
    const content = [{ type: 'text', text }]
    return [this.#line(exported, { type: 'user', message: { role: 'user', content } })]
  }
}

/** A second uuid for the same event, the same in each export. */
function derivedUuid(uuid: string, part: string): string {
  const hex = createHash('sha256').update(`${uuid}:${part}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
