import type { AnyDraft } from '../decode/draft.ts'
import type { AnyEvent, StoredMessage } from '../../shared/event.ts'
import type { EventSummary } from '../../shared/live-feed.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { PastRedaction } from './redact/redact-past.ts'
import type { ImportCheckpoint } from './log/import-checkpoint.ts'
import type { People } from './people/people.ts'
import type { ArchiveRun, RetentionRules } from './archive/archives.ts'
import type { Moved } from './archive/move-to-archive.ts'
import type { BackupProgress } from './transfer/backup.ts'
import type { DeletedRows } from './delete/delete-session.ts'
import type { RebuildProgress } from './rebuild/rebuild.ts'
import type { ForeignEvent, TakenIn } from './transfer/restore-events.ts'
import type { Tombstone } from './delete/tombstones.ts'

/**
 * The write side of the store, as the recorder uses it. One writer exists (a lock on `writer.lock` sees to that); all
 * calls are synchronous and meant for the recorder's thread.
 */
export interface Store {
  /**
   * Gives each draft its place (turn, seq, parent, keys), or joins it to the event that another source already told of;
   * writes log, contents, sightings and projections in one transaction.
   * `accept` runs between placing and writing: the filters and custom processors that may change or drop an event.
   * @throws AspyError store_unavailable where the database cannot be written (locked, full, read-only, corrupt): nothing of
   *   the batch is stored, and the same drafts may be given again.
   */
  append(
    drafts: readonly AnyDraft[],
    accept?: (event: AnyEvent) => AnyEvent | 'drop',
    options?: AppendOptions,
  ): AppendResult
  /** Commits what an append left open. Throws what became of it, where other work had to commit it before. */
  settle(): void
  /** The same in steps of some milliseconds; live traffic may be written between two of them. */
  settleInSteps(): Generator<void, void, void>
  /** Keeps a block or text in `contents` for the length of the process; stored with the event that refers to it. */
  putContent(text: string): string
  getContent(hash: string): string | null
  /** A text given to putContent that no stored event refers to yet: what a spool has to write down, too. */
  unsavedContent(hash: string): string | null
  /** The last stored request of a session's agent, as a whole list of messages; null before the first. */
  lastRequest(
    sessionId: string,
    agentId: string | null,
  ): { readonly uuid: string; readonly messages: readonly StoredMessage[] } | null
  /** By which keys a stored event is known. */
  keysOf(uuid: string): readonly string[]
  /** How far a transcript file was read; null: not yet. */
  importCheckpoint(path: string): ImportCheckpoint | null
  /** What people make: labels, memories, saved searches. */
  readonly people: People
  /** Models without a price, of what was recorded before the start and since. */
  unpricedModels(): readonly string[]
  /** Applies a redactor to what is stored, a slice at a time. */
  pastRedaction(redactor: Redactor): PastRedaction
  /**
   * Takes a session out for good, and remembers that it is not to come back. Its words are in no byte of the folder once
   * `scrub` is through. A large one goes in steps of some milliseconds, unseen from the first on; one that was cut short is
   * among `unfinishedDeletions`, and goes on when it is asked for again.
   */
  deleteInSteps(sessionId: string): Generator<void, DeletedRows, void>
  /** The same, with nothing in between. */
  deleteSession(sessionId: string): DeletedRows
  unfinishedDeletions(): readonly string[]
  /**
   * Makes projections (all of them, or those named) anew from the log, in steps of some milliseconds; between two of them
   * the store is used as ever.
   */
  rebuild(only?: readonly string[]): Generator<RebuildProgress, RebuildProgress, void>
  /** Copies the database to a file, in small steps, while it is used. @throws AspyError conflict where the file exists */
  backup(path: string, onProgress: (progress: BackupProgress) => void): Promise<BackupProgress>
  /**
   * Puts exported events into the log as they were, in one transaction. A fact that is known here under another uuid is
   * left in `rest`, to be appended like any telling.
   */
  takeIn(records: readonly ForeignEvent[]): TakenIn
  /** Takes sessions out that were deleted elsewhere, and keeps them out; how many of them were here. */
  bury(tombstones: readonly Tombstone[]): number
  /**
   * Moves the heavy fields of old requests and tool traffic to archives beside the database, and removes archives whose
   * time is over, in steps of some milliseconds; an end between two of them loses and doubles nothing.
   */
  archive(rules: RetentionRules): Generator<Moved, Moved & { readonly archives_removed: number }, void>
  /** Leaves episodes for compactions and for sessions that ended, in steps of some milliseconds; how many. */
  episodes(): Generator<number, number, void>
  /** What the last run of archiving did; null: there was none. */
  lastArchiveRun(): ArchiveRun | null
  noteArchiveRun(run: ArchiveRun): void
  /** Sessions of which nothing was heard since a moment (ISO 8601), but for pinned ones. */
  silentSessions(before: string, most: number): readonly string[]
  /**
   * What is left to do after a deletion, in steps of some milliseconds, each asking for a pause; null: nothing. One of them
   * writes the file anew, which takes seconds a gigabyte: a large one is left for when it is `isQuiet`.
   */
  scrub(isQuiet?: boolean): Generator<number, void, void> | null
  /** Brings what is committed to the disk for good, which a commit does not wait for: before the only other copy goes. */
  persist(): void
  /** The disk does not keep up: whoever can wait should, before more is written. */
  isDiskBehind(): boolean
  /**
   * The disk does not keep up, or a session is half deleted, and what another shares with it would be taken from it event by
   * event: whoever can wait should, before more is written.
   */
  isBehind(): boolean
  /** Moves the WAL into the file; called when idle, never in the middle of traffic. */
  checkpoint(): void
  close(): void
}

/** What goes along with an append. */
export interface AppendOptions {
  /** How far the transcripts are read that the drafts come from: kept in the same transaction. */
  readonly checkpoints?: readonly ImportCheckpoint[]
  /** Nobody is shown what was added: summaries come without text. */
  readonly isUnseen?: boolean
  /**
   * Part of a longer transaction, which ends with `settle`, or with any other write. Where it fails, all of it is undone,
   * earlier appends of it too.
   */
  readonly staysOpen?: boolean
}

/** What an append did. `added` and `joined` together are all drafts but the dropped and deleted ones. */
export interface AppendResult {
  /** New events, in the order of the log, as the live feed shows them. */
  readonly added: readonly EventSummary[]
  /** Drafts that were another sighting of a known event. */
  readonly joined: number
  readonly dropped: number
  /** Drafts of sessions that were deleted for good. */
  readonly deleted: number
}
