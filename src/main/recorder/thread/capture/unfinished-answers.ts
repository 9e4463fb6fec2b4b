import type { AnyDraft } from '../../../decode/draft.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { Filter } from '../../../pipeline/processors/filter.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { AnswersInProgress, AwaitedAnswer } from '../../../store/log/answers-in-progress.ts'
import { errorMessage } from '../../../../shared/error-text.ts'

/** Minimum time between two looks at the answers that grow. */
const INTERVAL_MS = 500
/** At most a twentieth of the thread's time goes into keeping answers that have not ended. */
const SHARE = 20
/** Events of an answer that only its end may bring. */
const ONLY_AT_THE_END: ReadonlySet<string> = new Set(['turn_ended', 'compaction'])

/** An exchange whose answer has not ended. */
export interface Unfinished {
  readonly id: string
  sessionId(): string
  /** Returns what the answer would be if Aspy stopped now; nothing once it has ended, or if it never calls a model. */
  soFar(): readonly AnyDraft[]
}

export interface UnfinishedAnswersOptions {
  readonly redactor: Pick<Redactor, 'neighbours' | 'stream'>
  readonly pipeline: Pick<Pipeline, 'redact'>
  readonly filter: Pick<Filter, 'dropsDraft'> | null
  readonly logger: { warn(object: object, message: string): void }
  /** Keeps that an answer is awaited, whether the store is open or not. */
  awaitAnswer(answer: AwaitedAnswer): void
  /** Asks the store; without one, what an answer grows by is not kept. */
  store(question: (kept: AnswersInProgress) => void): void
}

/** Keeps what has arrived of answers, so that a killed app loses less than a second of their text. */
export class UnfinishedAnswers {
  readonly #options: UnfinishedAnswersOptions
  readonly #grown = new Map<string, Unfinished>()
  #isLookDue = false
  #lastTookMs = 0

  constructor(options: UnfinishedAnswersOptions) {
    this.#options = options
  }

  /** The request is about to be stored: once it is, its exchange has an end, whatever happens. */
  begun(answer: Unfinished): void {
    this.#keep(answer, (awaited) => this.#options.awaitAnswer(awaited))
  }

  grew(answer: Unfinished): void {
    this.#grown.set(answer.id, answer)
    if (this.#isLookDue) return
    this.#isLookDue = true
    setTimeout(() => this.#look(), Math.max(INTERVAL_MS, this.#lastTookMs * SHARE)).unref()
  }

  ended(exchangeId: string): void {
    this.#grown.delete(exchangeId)
    this.#options.store((kept) => kept.ended(exchangeId))
  }

  #look(): void {
    this.#isLookDue = false
    const startedAt = performance.now()
    const grown = [...this.#grown.values()]
    this.#grown.clear()
    for (const answer of grown) this.#keep(answer, (awaited) => this.#options.store((kept) => kept.keep(awaited)))
    this.#lastTookMs = performance.now() - startedAt
  }

  #keep(answer: Unfinished, keep: (awaited: AwaitedAnswer) => void): void {
    try {
      const soFar = answer.soFar()
      // What was kept of it stays until its end is stored.
      if (soFar.length === 0) return
      keep({ exchangeId: answer.id, sessionId: answer.sessionId(), drafts: this.#safe(soFar) })
    } catch (error) {
      this.#options.logger.warn(
        { exchange: answer.id, message: errorMessage(error) },
        'an answer in progress is not kept',
      )
    }
  }

  /** Redacts drafts, and leaves out the end of a text while it may be the beginning of a secret. */
  #safe(drafts: readonly AnyDraft[]): readonly AnyDraft[] {
    const { redactor, pipeline, filter } = this.#options
    const growing = drafts.findLastIndex(
      ({ kind }) => kind === 'thinking' || kind === 'assistant_text' || kind === 'tool_call',
    )
    const held = drafts.map((draft, at) => (at === growing ? this.#withoutEnd(draft) : draft))
    return redactor
      .neighbours(held.filter(({ kind }) => !ONLY_AT_THE_END.has(kind)))
      .map((draft) => pipeline.redact(draft))
      .filter((draft) => filter?.dropsDraft(draft) !== true)
  }

  #withoutEnd(draft: AnyDraft): AnyDraft {
    const shown = (text: string) => this.#options.redactor.stream().push(text)
    if (draft.kind === 'thinking' || draft.kind === 'assistant_text')
      return { ...draft, payload: { ...draft.payload, text: shown(draft.payload.text) } } as AnyDraft
    if (draft.kind !== 'tool_call' || typeof draft.payload.input !== 'string') return draft
    return { ...draft, payload: { ...draft.payload, input: shown(draft.payload.input) } }
  }
}
