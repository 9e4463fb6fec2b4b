import type { AnyDraft } from '../../decode/draft.ts'
import type { AnyEvent, StoredMessage } from '../../../shared/event.ts'
import type { Correction, EventSummary } from '../../../shared/live-feed.ts'
import type { ImportCheckpoint } from '../log/import-checkpoint.ts'
import { translated } from '../database/store-error.ts'
import type { Transactions } from '../database/transactions.ts'
import type { Removal } from '../delete/session-removal.ts'
import type { Tombstones } from '../delete/tombstones.ts'
import type { Forks } from '../identity/forks.ts'
import type { Keys } from '../identity/keys.ts'
import { isSent, type UnsentPrompts } from '../identity/unsent-prompts.ts'
import { withIdentity } from '../identity/text-keys.ts'
import type { Contents } from '../log/contents.ts'
import type { EventRow } from '../log/log.ts'
import { limitBlock, limitDraft, type Limits } from '../log/limits.ts'
import type { Requests } from '../log/requests.ts'
import type { TranscriptFiles } from '../log/transcript-files.ts'
import type { Pricing } from '../pricing/pricing.ts'
import type { PreviewChange } from '../preview/previewed-file.ts'
import type { Previews } from '../preview/previews.ts'
import { outline, summarize } from '../projections/summary.ts'
import type { ForeignEvent, RestoredEvents } from '../transfer/restore-events.ts'
import type { Accept, EventWriter } from './event-writer.ts'
import { leftOutAnswers } from './left-out-answers.ts'
import type { LeftOutAnswer } from '../../../shared/left-out-answer.ts'

export interface AppendOptions {
  /** The positions reached in the drafts' transcripts; stored in the same transaction. */
  readonly checkpoints?: readonly ImportCheckpoint[]
  /** Nobody watches these events: summaries come without text. */
  readonly isUnseen?: boolean
  /**
   * Part of a longer transaction, which ends with `settle` or with any other write. If it fails, all of it is rolled back,
   * including its earlier appends.
   */
  readonly staysOpen?: boolean
}

/** An event as stored, and as the live feed shows it. */
export interface AddedEvent {
  readonly event: AnyEvent
  readonly summary: EventSummary
}

/** The outcome of an append. Every draft is counted once. */
export interface AppendResult {
  /** New events, in the order of the log. */
  readonly added: readonly AddedEvent[]
  /** Known prompts that a draft corrected. */
  readonly corrected: readonly Correction[]
  /** Drafts that became another sighting of a known event. */
  readonly joined: number
  readonly dropped: number
  /** Drafts of sessions that were deleted for good. */
  readonly deleted: number
  readonly leftOut: readonly LeftOutAnswer[]
}

export interface IngestParts {
  readonly limits: Limits
  readonly pricing: Pricing
  readonly contents: Contents
  readonly keys: Keys
  /** Name what the outside names ambiguously, in this order. */
  readonly names: readonly { named(draft: AnyDraft): AnyDraft }[]
  readonly forks: Forks
  readonly requests: Requests
  readonly unsent: UnsentPrompts
  readonly tombstones: Tombstones
  readonly transcriptFiles: TranscriptFiles
  readonly transactions: Transactions
  readonly writer: EventWriter
  readonly previews: Previews
  readonly removal: Pick<Removal, 'findLasting' | 'isUnderWay'>
  /** Models without a price that were recorded before this start. */
  readonly unpricedBefore: readonly string[]
  /** Restores exported events within a transaction. */
  readonly restore: (records: readonly ForeignEvent[]) => RestoredEvents
  /** Called after events were restored under ids and places that were not looked up. */
  readonly onRestored: () => void
  /** Throws if the database file was moved or replaced. */
  readonly assertInPlace: () => void
  /** True while a rebuild or a backup runs: both must see whole transactions only. */
  readonly needsWholeTransactions: () => boolean
  readonly isDiskBehind: () => boolean
  readonly persist: () => void
}

type SentIn = Pick<AnyEvent, 'session_id' | 'turn_id' | 'project'>

/** Takes new facts into the log, and answers the questions that recording asks of it. */
export class Ingest {
  readonly #parts: IngestParts

  constructor(parts: IngestParts) {
    this.#parts = parts
  }

  /**
   * Gives each draft its place (turn, seq, parent, keys), or joins it to the event that another source already reported.
   * Writes log, contents, sightings and projections in one transaction. `accept` runs between placing and writing: the
   * filters and custom processors that may change or drop an event.
   * @throws AspyError store_unavailable if the database cannot be written (locked, full, read-only, corrupt). Nothing of
   *   the batch is stored then, and the same drafts may be appended again.
   */
  append(
    drafts: readonly AnyDraft[],
    accept?: Accept,
    { checkpoints = [], isUnseen = false, staysOpen = false }: AppendOptions = {},
  ): AppendResult {
    const { limits, pricing, keys, names, forks, unsent, tombstones } = this.#parts
    const { transcriptFiles, transactions, writer, previews, removal } = this.#parts
    const added: AddedEvent[] = []
    const corrected: Correction[] = []
    const leftOut = new Set<AnyDraft>()
    const answers: LeftOutAnswer[] = []
    let [joined, dropped, deleted] = [0, 0, 0]
    this.#parts.assertInPlace()
    keys.begin()
    const add = (draft: AnyDraft): AnyEvent | null => {
      const event = writer.add(draft, accept)
      if (event) added.push({ event, summary: isUnseen ? outline(event) : summarize(event, pricing) })
      return event
    }
    const sight = (draft: AnyDraft, known: EventRow) => {
      const correction = writer.sight(draft, known)
      if (correction !== null) corrected.push(correction)
    }
    const turnOf = (draft: AnyDraft) => writer.turnOf(draft)
    const endUnsent = (session: string, turn: number) => {
      for (const end of unsent.endsBefore(session, turn)) if (!keys.findKnown(end)) add(end)
    }
    const noteSent = (draft: AnyDraft, { session_id, turn_id, project }: SentIn) => {
      if (isSent(draft) && draft.source === 'wire') endUnsent(session_id, turn_id)
      const isOpen = (turn: number) => writer.isOpen(session_id, turn)
      for (const end of unsent.endsBy(draft, { session_id, turn_id }, isOpen)) {
        const known = keys.findKnown(end)
        if (known) sight(end, known)
        else add(end)
      }
      if (!isSent(draft)) return
      for (const elsewhere of unsent.leftBehind(draft, project)) {
        const known = keys.findKnown(elsewhere)
        if (known) sight(elsewhere, known)
      }
    }
    const work = () => {
      const all = forks.named(drafts)
      for (const draft of all) {
        previews.taken(draft)
        if (tombstones.has(draft.session_id)) {
          deleted += 1
          leftOut.add(draft)
          continue
        }
        const named = names.reduce((before, { named: rename }) => rename(before), draft)
        const limited = limitDraft(withIdentity(named), limits)
        if (limited.ends_open_turn) endUnsent(limited.session_id, turnOf(limited) + 1)
        const known = removal.findLasting(
          () => keys.findKnown(limited) ?? keys.findAnchor(limited) ?? unsent.knownEnd(limited, turnOf),
        )
        if (known && tombstones.has(known.session_id)) {
          deleted += 1
          leftOut.add(draft)
          continue
        }
        if (known) {
          sight(limited, known)
          // A line that is read again tells nothing that it did not tell before.
          if (known.source !== 'transcript' || limited.source !== 'transcript') noteSent(limited, known)
          joined += 1
          continue
        }
        if (
          limited.only_as_sighting ||
          (limited.ends_open_turn && !writer.isOpen(limited.session_id, turnOf(limited)))
        ) {
          joined += 1
          continue
        }
        const event = add(unsent.withEndKey(limited, turnOf))
        if (event === null) {
          dropped += 1
          leftOut.add(draft)
        } else noteSent(limited, event)
      }
      answers.push(...leftOutAnswers(all, leftOut, (session) => tombstones.has(session), pricing))
      for (const checkpoint of checkpoints) {
        transcriptFiles.note(checkpoint)
        if (checkpoint.isEnd === true) previews.ended(checkpoint.path)
      }
    }
    const mayStay = staysOpen && !this.#parts.needsWholeTransactions()
    translated(() => (mayStay ? transactions.slice(work) : transactions.run(work)))
    return { added, corrected, joined, dropped, deleted, leftOut: answers }
  }

  /**
   * Puts exported events into the log unchanged, in one transaction. A fact that is already known under another uuid is
   * returned in `rest`, to be appended like any draft.
   */
  restoreEvents(records: readonly ForeignEvent[]): RestoredEvents {
    const { transactions, restore, previews, onRestored } = this.#parts
    const work = () => {
      const restored = restore(records)
      previews.dropKnown()
      return restored
    }
    const restored = translated(() => transactions.run(work))
    if (restored.added > 0) onRestored()
    return restored
  }

  /**
   * Shows figures of transcripts before they are read whole, or ends that, in a separate transaction. Returns false if
   * one transaction could not remove everything: then call it again.
   */
  preview(change: PreviewChange): boolean {
    return this.#parts.previews.change(change)
  }

  /** True if `append` left a transaction open that no other work has committed yet. */
  isLeftOpen(): boolean {
    return this.#parts.transactions.isOpen()
  }

  /** Commits the transaction that `append` left open. Throws if other work had to commit it before and that failed. */
  settle(): void {
    translated(() => this.#parts.transactions.settle())
  }

  /** Like `settle`, in steps of a few milliseconds; live traffic may be written between two of them. */
  settleInSteps(): Generator<void, void, void> {
    return this.#parts.transactions.settleInSteps()
  }

  /** Syncs committed data to the disk, which a commit does not wait for. Call it before deleting the only other copy. */
  persist(): void {
    translated(() => this.#parts.persist())
  }

  /** Keeps a block or text in memory until an event that refers to it is stored; returns its hash. */
  putContent(text: string): string {
    return this.#parts.contents.keep(limitBlock(text, this.#parts.limits))
  }

  getContent(hash: string): string | null {
    return translated(() => this.#parts.contents.get(hash))
  }

  /** The last stored request of a session's agent with its whole list of messages; null before the first. */
  lastRequest(
    sessionId: string,
    agentId: string | null,
  ): { readonly uuid: string; readonly messages: readonly StoredMessage[] } | null {
    return translated(() => this.#parts.requests.last(sessionId, agentId))
  }

  /** Ids of sessions that begin with `prefix` (ASCII), newest first. */
  sessionsStartingWith(prefix: string, limit: number): readonly string[] {
    return translated(() => this.#parts.requests.sessionsStartingWith(prefix, limit))
  }

  /** The natural keys of a stored event. */
  keysOf(uuid: string): readonly string[] {
    return translated(() => this.#parts.keys.keysOf(uuid))
  }

  /** The position up to which a transcript file was read; null if it never was. */
  importCheckpoint(path: string): ImportCheckpoint | null {
    return translated(() => this.#parts.transcriptFiles.find(path))
  }

  /** Whether any transcript was imported. */
  hasImported(): boolean {
    return translated(() => this.#parts.transcriptFiles.hasAny())
  }

  /** Recorded models without a price. */
  unpricedModels(): readonly string[] {
    return [...new Set([...this.#parts.unpricedBefore, ...this.#parts.pricing.unpricedModels()])]
  }

  /**
   * True if imports should wait: the disk does not keep up, or a session is half deleted and events that others share with
   * it would have to be separated one by one.
   */
  isBehind(): boolean {
    return this.#parts.isDiskBehind() || this.#parts.removal.isUnderWay()
  }
}
