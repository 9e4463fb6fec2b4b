import type { AnyDraft } from '../../decode/draft.ts'
import { redactedDraft } from '../../pipeline/pipeline.ts'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { withoutRepeats } from '../../store/identity/sighting.ts'
import { prepareBatch, withDigest } from '../../store/projections/prepared-payloads.ts'
import type { ImportedSession } from '../../store/delete/forget-imported.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { BatchSender } from '../batch-sender.ts'

/** A batch is sent at this many drafts or characters of lines, whichever comes first. */
const BATCH_DRAFTS = 500
const BATCH_CHARACTERS = 1024 * 1024
/** Checkpoints without drafts: files without facts. */
const BATCH_CHECKPOINTS = 500

/** The recorder's result for a batch. */
export interface BatchWritten {
  readonly added: number
  readonly joined: number
  /** Left out, because their session was deleted. */
  readonly deleted: number
  readonly dropped: number
}

/**
 * Collects drafts of transcripts, redacts them, and sends them to the recorder with the positions reached in the files.
 */
export interface Batcher {
  take(drafts: readonly AnyDraft[], characters: number): void
  /** Counts an unknown field. */
  unknownField(what: string): void
  /** Everything in this file up to here has been taken. */
  note(checkpoint: ImportCheckpoint): void
  isFull(): boolean
  /**
   * Sends the drafts taken so far; waits while too many batches are unanswered. With `isLive`, it also goes to readers
   * of the live feed.
   */
  send(isLive?: boolean): Promise<void>
  /** Removes imported sessions that are read again; waits until that is committed. */
  forget(sessions: readonly ImportedSession[]): Promise<void>
  /** Discards unsent drafts. */
  discard(): void
  /** The reason why the recorder refused a batch; null if it refused none. */
  failure(): unknown
  /** Waits for all answers. Throws the first refusal. */
  settled(): Promise<void>
}

export interface BatcherOptions {
  readonly sender: BatchSender
  readonly redactor: Redactor
  /** Texts left out so far because the user's patterns did not answer in time. */
  timeouts(): { readonly [pattern: string]: number }
  /** `ended`: the files that were read to their end with this batch. */
  onWritten(written: BatchWritten, ended: readonly string[]): void
}

export function createBatcher({ sender, redactor, timeouts, onWritten }: BatcherOptions): Batcher {
  const unanswered = new Set<Promise<void>>()
  const checkpoints = new Map<string, ImportCheckpoint>()
  let unknownFields: Record<string, number> = {}
  let drafts: AnyDraft[] = []
  let characters = 0
  let failure: unknown = null
  let counted: { readonly [rule: string]: number } = redactor.counts()
  let timedOut = total(timeouts())

  function clear(): void {
    drafts = []
    characters = 0
    checkpoints.clear()
  }

  return {
    take(said, length) {
      for (const draft of said) drafts.push(draft)
      characters += length
    },
    unknownField: (what) => void (unknownFields[what] = (unknownFields[what] ?? 0) + 1),
    note: (checkpoint) => void checkpoints.set(checkpoint.path, checkpoint),
    isFull() {
      if (checkpoints.size >= BATCH_CHECKPOINTS || drafts.length >= 2 * BATCH_DRAFTS) return true
      // A message has one line per block, and its texts are redacted as one: keep its lines in one batch.
      const mayGoOn = isText(drafts.at(-1)) && characters < 2 * BATCH_CHARACTERS
      return (drafts.length >= BATCH_DRAFTS || characters >= BATCH_CHARACTERS) && !mayGoOn
    },
    async send(isLive = false) {
      if (drafts.length === 0 && checkpoints.size === 0) return
      const redacted = redactor.neighbours(drafts).map((draft) => redactedDraft(draft, redactor))
      const counts = redactor.counts()
      const missed = total(timeouts())
      const batch = {
        drafts: redacted.map((draft) => withDigest(withoutRepeats(draft), redactor.hash)),
        prepared: prepareBatch(redacted, redactor.hash),
        checkpoints: [...checkpoints.values()],
        redacted: difference(counts, counted),
        redaction_timeouts: missed - timedOut,
        unknown_fields: unknownFields,
      }
      counted = counts
      timedOut = missed
      unknownFields = {}
      const ended = batch.checkpoints.flatMap(({ path, isEnd }) => (isEnd === true ? [path] : []))
      clear()
      const { answered } = await sender.send(isLive ? { ...batch, isLive } : batch)
      const settled: Promise<void> = answered.then(
        (written) => onWritten(written, ended),
        (error: unknown) => {
          failure ??= error
        },
      )
      unanswered.add(settled)
      void settled.then(() => unanswered.delete(settled))
    },
    async forget(sessions) {
      const { answered } = await sender.send({ drafts: [], forget: sessions })
      await answered
    },
    discard: clear,
    failure: () => failure,
    async settled() {
      await Promise.all(unanswered)
      if (failure !== null) throw failure
    },
  }
}

const isText = (draft: AnyDraft | undefined) => draft?.kind === 'thinking' || draft?.kind === 'assistant_text'

const difference = (now: { readonly [rule: string]: number }, before: { readonly [rule: string]: number }) =>
  Object.fromEntries(Object.entries(now).map(([rule, count]) => [rule, count - (before[rule] ?? 0)]))

const total = (counts: { readonly [name: string]: number }) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
