import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { FOLLOWED_FOLDER } from '../../store/log/import-checkpoint.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { BatchSender } from '../batch-sender.ts'
import { createBatcher } from './batcher.ts'
import { isUnchanged, type FileState } from './file-identity.ts'
import { findTranscripts, lookAt } from './find-files.ts'
import { createTranscriptReader, type TranscriptReader } from './transcript-reader.ts'
import { isFileError } from './file-error.ts'
import { watchFolders, type FolderWatch } from './watch-folders.ts'

/** Changes are collected for this long: the client writes several lines at once. */
const GATHER_MS = 100
/** Files whose decoder is kept, since the parent of a new line may be in an earlier one. */
const READERS_KEPT = 64
/** Time in ms after which data that could not be stored is read again. */
const RETRY_MS = 5000
const LOOK_EVERY_MS = 30_000
/** Comparing all files takes at most this share of the time. */
const LOOK_SHARE = 1 / 400

/** Reads lines as they are appended to transcripts. */
export interface Follower {
  /** Folders that are followed. */
  readonly folders: readonly string[]
  stop(): void
}

export interface FollowOptions {
  /** Folders of transcripts that were imported whole. */
  readonly folders: readonly string[]
  /** Our own data folder: changes in it are ignored. */
  readonly except: string
  readonly redactor: Redactor
  readonly sender: BatchSender
  timeouts(): { readonly [pattern: string]: number }
  /** Opens what the database knows. Throws if it cannot be read now. */
  openKnown(): KnownTranscripts
  /** Called if something could not be read or stored; it is tried again. */
  onTrouble(error: unknown): void
}

/** Returns the folders that were imported whole and so may be followed. */
export function importedFolders(folders: readonly string[], known: ReadonlyMap<string, ImportCheckpoint>): string[] {
  return folders.filter((folder) => known.get(folder)?.identity === FOLLOWED_FOLDER)
}

/**
 * Reads what changed since the last run, then waits for the system's change events. Compares sizes and times now and
 * then, because an event may be missing. Unchanged files are not read.
 */
export function followTranscripts(options: FollowOptions): Follower {
  const { folders, except, redactor, sender } = options
  const readers = new RecentlyUsed<string, TranscriptReader>(READERS_KEPT)
  /** Each file's state when it was last read, as far as this run knows. */
  const seen = new Map<string, FileState>()
  const changed = new Set<string>()
  let batcher = newBatcher()
  let timer: NodeJS.Timeout | null = null
  let lookTimer: NodeJS.Timeout | null = null
  let isStopped = false
  let isBusy = false

  function newBatcher() {
    return createBatcher({ sender, redactor, timeouts: options.timeouts, onWritten: () => undefined })
  }

  function wake(path: string): void {
    changed.add(path)
    if (!isBusy && !isStopped) timer ??= setTimeout(() => void readChanged(true), GATHER_MS)
  }

  async function readChanged(isLive: boolean): Promise<void> {
    timer = null
    isBusy = true
    const paths = [...changed]
    changed.clear()
    try {
      for (const path of paths) if (!isStopped) await readFile(path)
      await batcher.send(isLive)
      await batcher.settled()
    } catch (error) {
      retry(paths, error)
    }
    isBusy = false
    const [next] = changed
    if (next !== undefined) wake(next)
  }

  async function readFile(path: string): Promise<void> {
    const file = lookAt(path)
    if (file === null) {
      readers.delete(path)
      seen.delete(path)
      return
    }
    const before = seen.get(path)
    if (before && before.size === file.size && before.mtimeMs === file.mtimeMs && before.ino === file.ino) return
    try {
      await readerOf(path).read({ batcher, isCancelled: () => isStopped, onRead: () => undefined })
      seen.set(path, file)
    } catch (error) {
      if (!isFileError(error)) throw error
      // Deleted or locked just now: the next change or comparison shows which.
      readers.delete(path)
    }
    if (batcher.isFull()) await batcher.send()
  }

  function readerOf(path: string): TranscriptReader {
    const kept = readers.get(path)
    if (kept) return kept
    const known = options.openKnown()
    try {
      const reader = createTranscriptReader({ path, hash: redactor.hash, known: known.find(path) })
      readers.set(path, reader)
      return reader
    } finally {
      known.close()
    }
  }

  /** Data that was not stored is read again, from the position in the database. */
  function retry(paths: readonly string[], error: unknown): void {
    options.onTrouble(error)
    batcher = newBatcher()
    readers.clear()
    seen.clear()
    if (isStopped) return
    setTimeout(() => paths.forEach(wake), RETRY_MS).unref()
  }

  /** Finds changed files by size and time alone. */
  function look(isFirst: boolean): void {
    const start = performance.now()
    try {
      const { files } = findTranscripts(folders, except)
      const known = isFirst ? options.openKnown() : null
      const read = known?.all()
      known?.close()
      for (const file of files) {
        if (isUnchanged(file, read?.get(file.path))) seen.set(file.path, file)
        else {
          const before = seen.get(file.path)
          if (before?.size !== file.size || before.mtimeMs !== file.mtimeMs || before.ino !== file.ino)
            changed.add(file.path)
        }
      }
    } catch (error) {
      options.onTrouble(error)
    }
    if (changed.size > 0 && !isBusy) void readChanged(false)
    const tookMs = performance.now() - start
    lookTimer = setTimeout(() => look(false), Math.max(LOOK_EVERY_MS, tookMs / LOOK_SHARE))
  }

  const watching: FolderWatch = watchFolders({
    folders,
    except,
    onFile: wake,
    onFolder(folder) {
      for (const { path } of findTranscripts([folder], except).files) wake(path)
    },
  })
  look(true)
  return {
    folders,
    stop() {
      isStopped = true
      watching.close()
      if (timer !== null) clearTimeout(timer)
      if (lookTimer !== null) clearTimeout(lookTimer)
    },
  }
}
