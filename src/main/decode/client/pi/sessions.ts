import { basename, join } from 'node:path'
import type { Json, JsonObject, Usage } from '../../../../shared/event.ts'
import { filledString, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { AnyDraft } from '../../draft.ts'
import { timeOf } from '../../line-time.ts'
import { totalTokens } from '../../usage.ts'
import { isoTime } from '../../draft-base.ts'
import { HeldPrompts } from '../held-prompts.ts'
import { createLineDecoder, type LineReader } from '../line-decoder.ts'
import { LineDrafts, usageOf } from '../line-drafts.ts'
import { textsOf } from '../message-texts.ts'
import { homesOf, type DecoderFacts, type TranscriptClient } from '../transcript-client.ts'
import { pi, piSession } from './client.ts'

const HEAD = /^\uFEFF?\{"type":"session",(?:"version":\d+,)?"id":"[^"]+","timestamp":"[^"]+"/
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_.+\.jsonl$/

/** Lines about the settings of a session, its tree and its extensions. */
const SILENT: ReadonlySet<string> = new Set([
  'thinking_level_change',
  'context_edit',
  'custom',
  'custom_message',
  'label',
])

/** pi keeps a file for each session (format 3 of 1.5.2). A fork copies the lines of its original, with their ids. */
export const piSessions: TranscriptClient = {
  name: pi.name,
  homes: (env, userHome) => homesOf(env['PI_CODING_AGENT_DIR'], join(userHome, '.pi', 'agent')),
  folders: (home) => [join(home, 'sessions')],
  hasName: (path) => NAME.test(basename(path)),
  beginsLike: (head) => HEAD.test(head),
  createDecoder: (_path, _disk, facts) => createLineDecoder(new PiSession(facts), pi.name, facts),
  isOfSession: (path, { session_id }) => basename(path).endsWith(`_${session_id.replace(/^pi-/, '')}.jsonl`),
  beganAt(path) {
    const [, day, hour, minute, second, ms] = NAME.exec(basename(path)) ?? []
    const began = Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`)
    return Number.isNaN(began) ? null : began
  },
}

class PiSession implements LineReader {
  readonly drafts: LineDrafts
  readonly #held: HeldPrompts
  #model = 'unknown'

  constructor(facts: DecoderFacts) {
    this.drafts = new LineDrafts({ client: pi.name, sessionId: piSession('unnamed'), isUnnamed: true }, facts)
    this.#held = new HeldPrompts(facts)
  }

  take(line: JsonObject): readonly AnyDraft[] | null {
    this.drafts.at = timeOf(line) ?? this.drafts.at
    const type = stringOf(line['type']) ?? ''
    if (type === 'session') {
      const id = filledString(line['id'])
      this.drafts.file = {
        ...this.drafts.file,
        ...(id === null ? {} : { sessionId: piSession(id) }),
        project: filledString(line['cwd']),
      }
      return []
    }
    const drafts = this.#take(type, line)
    return drafts === null ? null : this.#held.take(drafts)
  }

  end(): readonly AnyDraft[] {
    return this.#held.end()
  }

  #take(type: string, line: JsonObject): readonly AnyDraft[] | null {
    switch (type) {
      case 'model_change':
        this.#model = filledString(line['modelId']) ?? this.#model
        return []
      case 'message':
        return this.#message(line, objectOf(line['message']))
      case 'usage':
        return [this.#usage(line)]
      case 'compaction':
      case 'branch_summary':
        return this.#summary(type, line)
      case 'session_info':
        return this.drafts.title(filledString(line['name']), this.#lineKey(line))
      default:
        return SILENT.has(type) ? [] : null
    }
  }

  #message(line: JsonObject, message: JsonObject): readonly AnyDraft[] {
    const key = this.#lineKey(line)
    switch (stringOf(message['role'])) {
      case 'user': {
        const text = textsOf(message['content']).join('\n')
        return text.trim() === '' ? [] : [this.drafts.prompt(text, key)]
      }
      case 'toolResult':
        return [this.#result(message)]
      case 'assistant':
        return this.#answer(message, key)
      default:
        return []
    }
  }

  #answer(message: JsonObject, key: string): readonly AnyDraft[] {
    this.#model = filledString(message['model']) ?? this.#model
    const reason = stringOf(message['stopReason'])
    const usage = readUsage(message['usage'])
    const drafts = this.drafts.answer({
      id: filledString(message['responseId']),
      lineId: key,
      model: filledString(message['responseModel']) ?? this.#model,
      blocks: listOf(message['content']).map(asBlock),
      usage: totalTokens(usage) === 0 ? null : usage,
      kind: null,
      endsTurn: reason === 'stop' || reason === 'length',
    })
    return reason === 'error' ? [...drafts, this.drafts.failure(filledString(message['errorMessage']), key)] : drafts
  }

  #result(message: JsonObject) {
    const draft = this.drafts.resultOf({
      callId: stringOf(message['toolCallId']) ?? '',
      toolName: filledString(message['toolName']),
      content: message['content'],
      isError: message['isError'] === true,
      durationMs: numberOf(message['durationMs']),
    })
    return this.drafts.result(draft)
  }

  #usage(line: JsonObject): AnyDraft {
    const of = { id: null, lineId: this.#lineKey(line), model: filledString(line['model']) ?? this.#model }
    return this.drafts.usage({ ...of, kind: 'side_call' }, readUsage(line['usage']))
  }

  #summary(type: 'compaction' | 'branch_summary', line: JsonObject): readonly AnyDraft[] {
    const usage = line['usage'] === undefined ? null : readUsage(line['usage'])
    const of = { lineId: this.#lineKey(line), model: this.#model }
    if (type === 'branch_summary')
      return usage === null ? [] : [this.drafts.usage({ id: null, ...of, kind: 'side_call' }, usage)]
    // pi adds the names of files to what the model wrote.
    const summary = (stringOf(line['summary']) ?? '').replace(/\n\n<(read|modified)-files>[\s\S]*$/, '')
    const tokensBefore = numberOf(line['tokensBefore'])
    return this.drafts.compaction({ ...of, summary, trigger: 'unknown', tokensBefore, usage })
  }

  /** Ids of lines are unique in their file alone. A fork's copy has the same id and time. */
  #lineKey(line: JsonObject): string {
    // Before format 2, lines have no id.
    return `pi-line:${filledString(line['id']) ?? this.drafts.file.sessionId}:${isoTime(this.drafts.at ?? 0)}`
  }
}

/** Returns a block of a message in the form of the API. */
function asBlock(part: Json): Json {
  const { type, ...rest } = objectOf(part)
  if (type === 'toolCall')
    return { type: 'tool_use', id: rest['id'] ?? null, name: rest['name'] ?? null, input: rest['arguments'] ?? {} }
  if (type === 'thinking' && rest['redacted'] === true) return { type: 'redacted_thinking' }
  return part
}

function readUsage(value: Json | undefined): Usage {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = objectOf(value)
  const cache = { read: cacheRead, written: cacheWrite, writtenForAnHour: cacheWrite1h }
  return usageOf({ input, output, ...cache, thinking: reasoning })
}
