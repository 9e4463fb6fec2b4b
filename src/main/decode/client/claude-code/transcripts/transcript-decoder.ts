import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { blockDrafts } from '../../../content-block.ts'
import { blockParents, isoTime, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { bareLine, parseWellFormed } from '../../../json-access.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import type { HashText } from '../../../media.ts'
import type { TranscriptContext, TranscriptDecoder } from '../../../transcript-decoder.ts'
import { endsNoTurn } from '../client-sentences.ts'
import { textsOf } from '../../message-texts.ts'
import { asForked, withContent } from './copied-line.ts'
import { AgentProgress } from './agent-progress.ts'
import { withDrift } from './drift.ts'
import { beginningOf, digestOf, isRecord, lineName } from './line-name.ts'
import { LineWriter } from './line-writer.ts'
import { createLinePlaces, NOWHERE, sessionOfPath, type LinePlace, type LinePlaces } from './line-place.ts'
import { asCompactCommand } from '../../../compaction-key.ts'
import { timeOf } from '../../../line-time.ts'
import { wholeRecords } from '../../../whole-records.ts'
import { UndatedLines, withFileTime, type HeldLine } from './undated-lines.ts'
import { createMessageTally } from './message-tally.ts'
import { AgentStarts, textOfUser } from './agent-starts.ts'
import { rememberCall, type CallMemory } from './call-memory.ts'
import { createMessageQueue } from './message-queue.ts'
import { RepeatedPrompts } from './repeated-prompts.ts'
import { ReturningTitles } from './returning-titles.ts'
import { SessionMarks } from './session-marks.ts'
import { otherLineDrafts, SILENT_TYPES, summaryTitleDraft } from './other-lines.ts'
import { syntheticDrafts } from './synthetic-lines.ts'
import { SummaryTitles, type FoundTitle } from './summary-titles.ts'
import { resumedDrafts } from '../session-end.ts'
import { isAfterTurn, lostBoundary, systemLineDrafts } from './system-lines.ts'
import { attachmentDrafts, deliveredPromptDraft, userLineDrafts, type PendingBoundary } from './user-lines.ts'

/** Decodes a transcript file of Claude Code (`~/.claude/projects/…`, or an agent's own file). */
export const createTranscriptDecoder = (context: TranscriptContext = {}): TranscriptDecoder => new FileDecoder(context)

class FileDecoder implements TranscriptDecoder {
  readonly #hash: HashText
  readonly #context: TranscriptContext
  readonly #places: LinePlaces
  readonly #tally = createMessageTally()
  readonly #calls: CallMemory = new Map()
  readonly #starts: AgentStarts
  /** Agents with lines of their own in this file. */
  readonly #agentsWithLines = new Set<string>()
  #boundary: PendingBoundary | null = null
  /** Key of the last compaction for which no `/compact` command was seen yet. */
  #compaction: string | null = null
  readonly #commands = new Set<string>()
  readonly #queue = createMessageQueue()
  readonly #titles = new SummaryTitles()
  readonly #returning = new ReturningTitles()
  readonly #writer = new LineWriter()
  readonly #progress: AgentProgress
  readonly #undated = new UndatedLines()
  readonly #marks = new SessionMarks()
  readonly #repeated = new RepeatedPrompts()
  /** No line has had a time so far: drafts carry the file's. */
  #hasFileTime = false
  #sessionId: string | null
  #lastTime = isoTime(0)
  /** The parent of the next answer: a message passed to the model in mid-turn, or typed beside a result. */
  #delivered: readonly string[] | null = null
  /** The last prompt that no answer has followed. */
  #asked: readonly string[] | null = null

  constructor(context: TranscriptContext) {
    this.#hash = context.hash ?? digestOf
    this.#context = context
    this.#places = createLinePlaces(context.isAgentFile?.agentId ?? null)
    this.#sessionId = sessionOfPath(context.path)
    this.#starts = new AgentStarts(context.isAgentFile?.meta, this.#calls)
    const isElsewhere = (agentId: string) => context.hasAgentFile?.(agentId) ?? false
    this.#progress = new AgentProgress((agentId) => this.#agentsWithLines.has(agentId) || isElsewhere(agentId))
  }

  line(raw: string): AnyDraft[] {
    const text = bareLine(raw)
    if (text.trim() === '') return []
    const parsed = withContent(parseWellFormed(text))
    return isObject(parsed) ? this.#take(asForked(parsed, this.#context.originalOf), text) : this.#broken(text)
  }

  /** Every record that is whole counts; what is left of the others is kept as it is. */
  #broken(text: string): AnyDraft[] {
    this.#context.onBrokenLine?.()
    const { records, rest } = wholeRecords(text, isRecord)
    return [...records.flatMap((record) => this.line(record)), ...(rest === '' ? [] : this.#take(null, rest))]
  }

  #take(line: JsonObject | null, text: string): AnyDraft[] {
    const time = line === null ? null : timeOf(line)
    if (time !== null) this.#hasFileTime = false
    if (!this.#undated.isWaiting) return this.#withTimeBasis(this.#decodeHeld({ line, text }))
    if (line === null || time === null) {
      this.#undated.hold({ line, text })
      return this.#undated.isFull ? this.#withTimeBasis(this.#releaseWithoutTime()) : []
    }
    this.#lastTime = isoTime(time)
    this.#sessionId = filledString(line['sessionId']) ?? this.#sessionId
    return [...this.#undated.release(), { line, text }].flatMap((held) => this.#decodeHeld(held))
  }

  end(): AnyDraft[] {
    // The summary may come with the next lines; its key joins it to this draft.
    const left = this.#boundary ? lostBoundary(this.#boundary) : []
    return this.#withTimeBasis([...this.#releaseWithoutTime(), ...this.#tally.tellAll(), ...left])
  }

  /** A file with only summaries and titles belongs to no session; any other file supplies its own time. */
  #releaseWithoutTime(): AnyDraft[] {
    if (this.#undated.isNobodys) return []
    this.#sessionId = this.#undated.session ?? this.#sessionId
    this.#lastTime = isoTime(this.#context.fileTime?.() ?? 0)
    this.#hasFileTime = true
    return this.#undated.release().flatMap((held) => this.#decodeHeld(held))
  }

  #withTimeBasis(drafts: AnyDraft[]): AnyDraft[] {
    return this.#hasFileTime ? drafts.map(withFileTime) : drafts
  }

  #decodeHeld({ line, text }: HeldLine): AnyDraft[] {
    return line === null ? [this.#unknown('transcript:broken', beginningOf(text), text)] : this.#decodeKnown(line, text)
  }

  #decodeKnown(line: JsonObject, text: string): AnyDraft[] {
    const said = timeOf(line) === null ? this.#decode(line, text) : this.#repeated.joined(this.#decode(line, text))
    const decoded = this.#writer.name(withDrift(said, line, this.#context.onUnknownField), line)
    const drafts = this.#context.isAgentFile === undefined ? this.#marks.marked(line, decoded) : decoded
    const session = filledString(line['sessionId']) ?? this.#sessionId ?? 'unnamed'
    const found = this.#titles.meet(filledString(line['uuid']), session)
    return this.#returning.marked(found === null ? drafts : [...drafts, this.#title(found)])
  }

  #title({ session, title }: FoundTitle): AnyDraft {
    return summaryTitleDraft({ ...this.#baseOf({}, NOWHERE), session_id: session }, title, this.#hash)
  }

  #decode(line: JsonObject, text: string): AnyDraft[] {
    const type = stringOf(line['type']) ?? ''
    if (SILENT_TYPES.has(type)) return this.#silentLine(line, type)
    const place = this.#places.of(line)
    const base = this.#baseOf(line, place)
    if (place.agentId !== null && type !== 'progress') this.#agentsWithLines.add(place.agentId)
    const started = this.#starts.of(line, base)
    if (type === 'assistant') return [...started, ...this.#assistantLine(line, place, base)]
    switch (type) {
      case 'user':
        return [...started, ...this.#userLine(line, place, base)]
      case 'attachment': {
        const told = attachmentDrafts(base, line, place.tail, this.#hash)
        this.#places.settle(line, place, told.tail)
        if (told.tail !== undefined) this.#delivered = null
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

  /** Lines that repeat others or hold the client's bookkeeping; only some contain something new. */
  #silentLine(line: JsonObject, type: string): AnyDraft[] {
    const base = this.#baseOf(line, NOWHERE)
    if (type === 'queue-operation') {
      const text = this.#queue.take(line)
      if (text === null) return []
      const draft = deliveredPromptDraft(base, text, this.#hash)
      this.#delivered = draft.keys.slice(0, 1)
      return [draft]
    }
    return [...resumedDrafts(base, line), ...this.#progress.linesOf(line).flatMap((of) => this.#repeatedLine(of, line))]
  }

  /** An agent's line that exists only inside a progress line. */
  #repeatedLine(line: JsonObject, report: JsonObject): AnyDraft[] {
    const place = this.#places.of(line)
    const base = this.#baseOf(line, place)
    const started = this.#starts.of(line, base, filledString(report['parentToolUseID']))
    if (line['type'] === 'assistant') return [...started, ...this.#assistantLine(line, place, base)]
    return line['type'] === 'user' ? [...started, ...this.#userLine(line, place, base)] : started
  }

  #baseOf(line: JsonObject, place: LinePlace): DraftBase {
    this.#sessionId = filledString(line['sessionId']) ?? this.#sessionId
    const time = timeOf(line)
    if (time !== null) this.#lastTime = isoTime(time)
    const original = filledString(objectOf(line['forkedFrom'])['sessionId'])
    return {
      source: 'transcript',
      session_id: this.#sessionId ?? 'unnamed',
      agent_id: place.agentId,
      ts_wall: this.#lastTime,
      ts_monotonic: null,
      project: filledString(line['cwd']),
      request_id: filledString(line['requestId']),
      ...(original === null || original === this.#sessionId ? {} : { copied_from: original }),
    }
  }

  #unknown(what: string, raw: Json, text: string): AnyDraft {
    const base = this.#baseOf(objectOf(raw), { agentId: this.#context.isAgentFile?.agentId ?? null, tail: [] })
    const keys = [naturalKey.line(lineName(objectOf(raw), text))]
    return { ...base, kind: 'unknown', payload: { what, raw }, keys, parents: [] }
  }

  #assistantLine(line: JsonObject, place: LinePlace, given: DraftBase): AnyDraft[] {
    this.#places.settle(line, place)
    const { content, id, model } = objectOf(line['message'])
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const uuid = filledString(line['uuid'])
    if (model === '<synthetic>' || line['isApiErrorMessage'] === true) {
      // Behind an answer that broke off, whose stop reason the client made up (2.1.332).
      if (line['isApiErrorMessage'] === true) this.#tally.goesOn(given.agent_id)
      return [...this.#tally.close(given.agent_id), ...syntheticDrafts(given, line, blocks, place.tail)]
    }
    const isMain = given.agent_id === null
    const taken = this.#tally.take(given, line, blocks, (isMain ? this.#delivered : null) ?? place.tail)
    const { base } = taken
    const messageId = filledString(id)
    if (isMain) this.#asked = null
    if (isMain && taken.index === 0) this.#delivered = null
    const ofBlocks = blocks.flatMap((block, at) => {
      const index = taken.index + at
      const isFirst = uuid !== null && at === 0
      const drafts = blockDrafts(
        base,
        block,
        {
          messageId,
          index,
          keys: isFirst ? [naturalKey.line(uuid)] : [],
          parents: blockParents(messageId ?? base.answer?.own ?? null, index, taken.tail),
          toolNameOf: (callId) => this.#calls.get(callId)?.name ?? null,
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
    return [...taken.drafts, ...ofBlocks]
  }

  #userLine(line: JsonObject, place: LinePlace, base: DraftBase): AnyDraft[] {
    // `ownNote`: 2.1.332.
    if (line['ownNote'] === true || endsNoTurn(textOfUser(line) ?? '')) this.#tally.goesOn(base.agent_id)
    if (base.agent_id === null) this.#queue.sent(textsOf(objectOf(line['message'])['content']).join('\n'))
    const known = { calls: this.#calls, hash: this.#hash, boundary: this.#boundary, commands: this.#commands }
    const read = userLineDrafts({ base, line, ...known, place: place.tail })
    if (read.usedBoundary) {
      this.#boundary = null
      this.#compaction = read.drafts[0]?.keys[0] ?? null
    }
    // 2.1.332: at an interruption, prompts of the queue are written before the result of the call, whose line they answer.
    this.#places.settle(line, place, read.tail ?? (read.isInterruption ? (this.#asked ?? undefined) : undefined))
    const isPrompted = read.drafts.some((draft) => draft.kind === 'user_prompt' && !draft.only_as_sighting)
    if (isPrompted) this.#asked = read.tail ?? null
    // Results of other calls of the message may follow.
    if (isPrompted) this.#delivered = read.drafts.some(({ kind }) => kind === 'tool_result') ? this.#asked : null
    // A prompt ends what came before it; a tool result may come between two blocks of one message.
    const closed = read.isPrompt ? this.#tally.close(base.agent_id, true) : []
    this.#tally.result(base.agent_id, read.isInterruption === true)
    const drafts = [...closed, ...asCompactCommand(read.drafts, this.#compaction)]
    if (isPrompted) this.#compaction = null
    return drafts
  }

  #systemLine(line: JsonObject, base: DraftBase): AnyDraft[] {
    const read = systemLineDrafts(base, line)
    const before = read.boundary && this.#boundary ? lostBoundary(this.#boundary) : []
    this.#boundary = read.boundary ?? this.#boundary
    return [...this.#tally.close(base.agent_id, isAfterTurn(line)), ...before, ...read.drafts]
  }

  #summary(line: JsonObject): AnyDraft[] {
    const [leaf, title] = [filledString(line['leafUuid']), filledString(line['summary'])]
    if (leaf === null || title === null) return []
    const found = this.#titles.take(leaf, title, this.#places.sessionOf(leaf))
    return found === null ? [] : [this.#title(found)]
  }

  #otherLine(line: JsonObject, base: DraftBase, text: string): AnyDraft[] {
    if (line['type'] === 'summary') return this.#summary(line)
    // The client's account of its cost covers every message before it, so the open one is reported first.
    const closed = line['type'] === 'cost-state' ? this.#tally.close(null) : []
    const drafts = otherLineDrafts(base, line, this.#tally.lastUsage(), this.#hash)
    return [...closed, ...(drafts ?? [this.#unknown(`transcript:${filledString(line['type']) ?? 'none'}`, line, text)])]
  }
}
