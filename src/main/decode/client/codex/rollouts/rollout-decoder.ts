import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { bareLine, parseWellFormed } from '../../../json-access.ts'
import { isObject } from '../../../../../shared/json-fields.ts'
import type { TranscriptContext, TranscriptDecoder } from '../../../transcript-decoder.ts'
import { wholeRecords } from '../../../whole-records.ts'
import { CopiedHistory, type ToldLine } from './copied-history.ts'
import { lineKey, RolloutDrafts, type LineOwner } from './rollout-drafts.ts'
import { isRecord, isSilentLine, rolloutLine, threadOfPath, turnIdOf, type RolloutLine } from './rollout-line.ts'
import { remember } from './remembered.ts'
import { rolloutThread, type RolloutThread } from './rollout-thread.ts'
import { ThreadLines } from './thread-lines.ts'

/** Decodes a rollout of Codex (`~/.codex/sessions/…/rollout-<time>-<thread>.jsonl`). */
export const createRolloutDecoder = (context: TranscriptContext = {}): TranscriptDecoder => new RolloutDecoder(context)

class RolloutDecoder implements TranscriptDecoder {
  readonly needsFirstLine = true
  readonly #context: TranscriptContext
  readonly #hash: (text: string) => string
  #thread: RolloutThread | null = null
  #copied: CopiedHistory | null = null
  #drafts: RolloutDrafts | null = null
  #lines: ThreadLines | null = null
  /** Lines without a time can be equal, so each is counted. */
  readonly #undated = new Map<string, number>()

  constructor(context: TranscriptContext) {
    this.#context = context
    this.#hash = context.hash ?? ((text) => createHash('sha256').update(text).digest('hex').slice(0, 32))
  }

  line(raw: string): AnyDraft[] {
    const text = bareLine(raw)
    if (text.trim() === '' || isSilentLine(text)) return []
    const parsed = parseWellFormed(text)
    if (!isObject(parsed)) return this.#broken(text)
    const line = rolloutLine(parsed)
    if (line === null) return []
    if (line.type === 'session_meta') return this.#sessionLine(line)
    return this.#parts()
      .copied.take(line, text)
      .flatMap((told) => this.#told(told))
  }

  #told({ line, text, isCopy }: ToldLine): AnyDraft[] {
    const { drafts, lines } = this.#parts()
    const owner = isCopy ? this.#ownerOfCopy() : 'own'
    if (owner === null) {
      lines.skip(line)
      return []
    }
    const base = drafts.base(line.at, owner, lines.project)
    const known = { line, base, turn: turnIdOf(line), lineKey: isCopy ? null : this.#keyOf(line, text), isCopy }
    const taken = lines.take(known) ?? [
      drafts.unknown(base, { what: whatOf(line), raw: line.payload, text, key: lineKey(text) }),
    ]
    return drafts.named(owner === 'copy' && this.#isOriginalElsewhere() ? taken.map(asSighting) : taken)
  }

  #keyOf(line: RolloutLine, text: string): string {
    if (line.at !== null) return lineKey(text)
    const key = this.#undatedKey(text)
    const times = this.#undated.get(key) ?? 0
    remember(this.#undated, key, times + 1)
    return times === 0 ? key : `${key}:${times}`
  }

  /** A line without a time can be the same in many files: many threads begin with "hi". */
  #undatedKey(text: string): string {
    return lineKey(`${this.#thread?.threadId ?? ''}\0${text}`)
  }

  end(): AnyDraft[] {
    const held = this.#copied?.end().flatMap((told) => this.#told(told)) ?? []
    return this.#drafts === null || this.#lines === null ? held : [...held, ...this.#drafts.named(this.#lines.end())]
  }

  /** The first line, and in a fork those of its ancestors. */
  #sessionLine(line: RolloutLine): AnyDraft[] {
    const { path, sessionOfThread } = this.#context
    const found = rolloutThread(line.payload, threadOfPath(path), sessionOfThread)
    if (found === null) return []
    const known = this.#thread
    if (known === null) return this.#begin(found, line.at)
    // Older forks do not name their original, but copy its first line.
    if (found.threadId !== known.threadId && known.forkedFrom === null && this.#lines?.hasSpoken === false)
      this.#begin({ ...known, forkedFrom: found.threadId }, line.at)
    return []
  }

  #begin(thread: RolloutThread, at: number | null): AnyDraft[] {
    const isFirst = this.#thread === null
    this.#thread = thread
    this.#copied = new CopiedHistory(thread, this.#context.linesOfThread)
    const drafts = new RolloutDrafts(thread, this.#context.fileTime ?? (() => null))
    this.#drafts = drafts
    this.#lines = new ThreadLines(thread, this.#hash)
    return isFirst ? drafts.named(this.#lines.started(drafts.base(at, 'own', null))) : []
  }

  /** A file whose first line is missing belongs to the thread of its name. */
  #parts(): { readonly drafts: RolloutDrafts; readonly lines: ThreadLines; readonly copied: CopiedHistory } {
    if (this.#drafts === null || this.#lines === null || this.#copied === null) {
      const named = threadOfPath(this.#context.path) ?? 'unnamed'
      const thread = rolloutThread({ id: named }, null)
      if (thread !== null) this.#begin(thread, null)
    }
    if (this.#drafts === null || this.#lines === null || this.#copied === null) throw new Error('a thread has an id')
    return { drafts: this.#drafts, lines: this.#lines, copied: this.#copied }
  }

  #isOriginalElsewhere(): boolean {
    const { forkedFrom = null } = this.#thread ?? {}
    return forkedFrom !== null && (this.#context.hasThread?.(forkedFrom) ?? false)
  }

  /** Null if the copy is left out because the original thread's file has it. */
  #ownerOfCopy(): LineOwner | null {
    const thread = this.#thread
    if (thread === null || thread.agentId === null) return 'copy'
    const isElsewhere = thread.forkedFrom === null || (this.#context.hasThread?.(thread.forkedFrom) ?? true)
    return isElsewhere ? null : 'parent'
  }

  #broken(text: string): AnyDraft[] {
    this.#context.onBrokenLine?.()
    const { records, rest } = wholeRecords(text, isRecord)
    const told = records.flatMap((record) => this.line(record))
    if (rest === '') return told
    const { drafts, lines } = this.#parts()
    const base: DraftBase = drafts.base(null, 'own', lines.project)
    const unknown = { what: 'transcript:broken', raw: rest, text: rest, key: this.#undatedKey(rest) }
    return [...told, ...drafts.named([drafts.unknown(base, unknown)])]
  }
}

/** The original thread's own file reports it with its real time. */
const asSighting = (draft: AnyDraft): AnyDraft => ({ ...draft, only_as_sighting: true })

function whatOf({ type, payload }: { readonly type: string; readonly payload: JsonObject }): string {
  const inner = payload['type']
  return type === 'event_msg' && typeof inner === 'string' ? `rollout:event:${inner}` : `rollout:${type}`
}
