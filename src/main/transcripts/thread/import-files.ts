import { sep } from 'node:path'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { FOLLOWED_FOLDER } from '../../store/log/import-checkpoint.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { BatchSender } from '../batch-sender.ts'
import { createBatcher } from './batcher.ts'
import { isUnchanged } from './file-identity.ts'
import { originalsFirst } from './fork-order.ts'
import type { FoundTranscripts, TranscriptFile } from './find-files.ts'
import type { ImportProgress } from '../protocol.ts'
import { findMisreadForks } from './misread-forks.ts'
import { importPromptHistory } from './prompt-history.ts'
import { createTranscriptReader } from './transcript-reader.ts'
import { isFileError } from './file-error.ts'
import { isCompressedPath, isRolloutPath, plainPath } from './transcript-names.ts'

export interface ImportJob {
  readonly found: FoundTranscripts
  /** Lists of prompts, read after the transcripts. */
  readonly promptHistories: readonly string[]
  readonly known: KnownTranscripts
  readonly redactor: Redactor
  readonly sender: BatchSender
  /** Texts left out so far because the user's patterns did not answer in time. */
  timeouts(): { readonly [pattern: string]: number }
  /** True if the job was cancelled: it ends before the next batch. */
  isCancelled(): boolean
  onProgress(progress: ImportProgress): void
}

/**
 * Reads the files one by one, each from its last position, and sends their drafts to the recorder. A file that cannot
 * be read counts as a bad line.
 */
export async function importFiles(job: ImportJob): Promise<void> {
  const { redactor } = job
  const { files } = job.found
  const known = new Map(job.known.all())
  const progress = startOf(job.found)
  const report = () => job.onProgress({ ...progress })
  const batcher = createBatcher({
    sender: job.sender,
    redactor,
    timeouts: job.timeouts,
    onWritten({ added, joined, deleted, dropped }) {
      progress.events_added += added
      progress.sightings_added += joined
      progress.events_deleted += deleted
      progress.lines_bad += dropped
      report()
    },
  })
  const isOver = () => job.isCancelled() || batcher.failure() !== null
  const options = {
    batcher,
    isCancelled: isOver,
    onRead({ bytes, lines, bad }: { readonly bytes: number; readonly lines: number; readonly bad: number }) {
      progress.bytes_done += bytes
      progress.lines += lines
      progress.lines_bad += bad
      report()
    },
  }

  async function importFile(file: TranscriptFile): Promise<void> {
    const { path } = file
    if (isUnchanged(file, known.get(path))) {
      progress.files_unchanged += 1
      progress.bytes_done += file.size
      return
    }
    progress.file = path.split(sep).slice(-2).join('/')
    try {
      const knownPlain = isCompressedPath(path) ? known.get(plainPath(path)) : undefined
      await createTranscriptReader({ path, hash: redactor.hash, known: known.get(path), knownPlain }).read(options)
      if (!file.isAgent) progress.sessions += 1
    } catch (error) {
      if (!isFileError(error)) throw error
      progress.lines_bad += 1
    }
    if (batcher.isFull()) await batcher.send()
  }

  // Reports what there is to read before reading any of it.
  report()
  const misread = await findMisreadForks(
    files.filter((file) => !isRolloutPath(file.path) && !isUnchanged(file, known.get(file.path))),
    job.known,
    known,
  )
  if (misread.sessions.length > 0) await batcher.forget(misread.sessions)
  for (const { path } of misread.files) known.delete(path)
  const named = new Set(files.map(({ path }) => path))
  const again = misread.files.filter(({ path }) => !named.has(path))
  progress.files += again.length
  const unread = [...files.filter((file) => !isUnchanged(file, known.get(file.path))), ...again]
  // Rollouts name the thread that they were forked from, and their order is that of their beginnings.
  const rollouts = unread.filter(({ path }) => isRolloutPath(path))
  const others = unread.filter(({ path }) => !isRolloutPath(path))
  const unchanged = files.filter((file) => isUnchanged(file, known.get(file.path)))
  for (const file of [...unchanged, ...(await originalsFirst(others)), ...rollouts]) {
    if (isOver()) break
    await importFile(file)
    progress.files_done += 1
    report()
  }
  progress.file = null
  // What was read but not sent has no checkpoint, so a later import reads it again.
  if (!isOver()) await batcher.send()
  await batcher.settled()
  for (const path of job.promptHistories) {
    if (!isOver()) await importPromptHistory(path, { ...options, known: job.known, redactor })
  }
  if (!isOver()) {
    for (const folder of job.found.folders) batcher.note(wholeFolder(folder))
    await batcher.send()
  }
  await batcher.settled()
  progress.done = !job.isCancelled()
  report()
}

function startOf({ files, unreadable }: FoundTranscripts): {
  -readonly [Name in keyof ImportProgress]: ImportProgress[Name]
} {
  return {
    files: files.length,
    files_done: 0,
    files_unchanged: 0,
    sessions: 0,
    file: null,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    bytes_done: 0,
    lines: 0,
    events_added: 0,
    sightings_added: 0,
    events_deleted: 0,
    lines_bad: unreadable,
    done: false,
  }
}

/** The whole folder was requested and read, so it may be followed from now on. */
function wholeFolder(path: string): ImportCheckpoint {
  return { path, identity: FOLLOWED_FOLDER, offset: 0, size: 0, mtime_ms: 0 }
}
