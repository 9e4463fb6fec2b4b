import { sep } from 'node:path'
import { FOLLOWED_FOLDER, type ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { BatchSender } from '../batch-sender.ts'
import type { PromptHistory } from '../client-folders.ts'
import { createBatcher, type Batcher } from './batcher.ts'
import { isUnchanged } from './file-identity.ts'
import { PossibleOriginals } from './copied-lines.ts'
import { createBeginnings } from './file-beginning.ts'
import { newestFirst, newestFrom } from './import-order.ts'
import { lookAt, type FoundTranscripts, type TranscriptFile } from './find-files.ts'
import type { ImportProgress } from '../protocol.ts'
import { findMisreadForks } from './misread-forks.ts'
import { previewFiles } from './preview/preview-pass.ts'
import { importPromptHistory } from './prompt-history.ts'
import { createTranscriptReader } from './transcript-reader.ts'
import { isFileError, NotATranscript } from './file-error.ts'
import { copiesLines, isCompressedPath, isFileOfSession, plainPath } from './transcript-names.ts'

/** The number of files that it does not read that an import names. */
const PASSED_OVER_NAMED = 20

export interface ImportJob {
  readonly found: FoundTranscripts
  /** Lists of prompts, read after the transcripts. */
  readonly promptHistories: readonly PromptHistory[]
  readonly known: KnownTranscripts
  readonly redactor: Redactor
  readonly sender: BatchSender
  /** Shows the figures of all files before they are read whole, if at least this many bytes are new. null: never. */
  readonly previewFromBytes: number | null
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
  const deleted = job.known.deleted()
  const progress = startOf(job.found)
  const report = () => job.onProgress({ ...progress })
  const sessionFiles = new Set<string>()
  const batcher = createBatcher({
    sender: job.sender,
    redactor,
    timeouts: job.timeouts,
    onWritten({ added, joined, deleted, dropped }, ended) {
      progress.sessions += ended.filter((path) => sessionFiles.has(path)).length
      progress.events_added += added
      progress.sightings_added += joined
      progress.events_deleted += deleted
      progress.lines_bad += dropped
      report()
    },
  })
  const beginningOf = createBeginnings()
  const originals = new PossibleOriginals(beginningOf)
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
    if (isUnchanged(file, known.get(path))) return leaveAsItIs(progress, file, deleted)
    progress.file = path.split(sep).slice(-2).join('/')
    try {
      if (!file.isAgent) sessionFiles.add(path)
      const reader = createTranscriptReader({
        path,
        hash: redactor.hash,
        known: known.get(path),
        knownPlain: isCompressedPath(path) ? known.get(plainPath(path)) : undefined,
        originals: file.isAgent ? [] : await originals.of(path, job.known),
      })
      await reader.read(options)
    } catch (error) {
      if (error instanceof NotATranscript) passOver(progress, file)
      else if (isFileError(error)) progress.lines_bad += 1
      else throw error
    }
    if (batcher.isFull()) await batcher.send()
  }

  // Reports the amount to read before reading starts.
  report()
  const misread = await findMisreadForks(
    files.filter((file) => copiesLines(file.path) && !isUnchanged(file, known.get(file.path))),
    job.known,
    known,
    beginningOf,
  )
  if (misread.sessions.length > 0) await batcher.forget(misread.sessions)
  for (const { path } of misread.files) known.delete(path)
  const again = notAmong(files, misread.files)
  progress.files += again.length
  const unread = [...files.filter((file) => !isUnchanged(file, known.get(file.path))), ...again]
  const unchanged = files.filter((file) => isUnchanged(file, known.get(file.path)))
  const ordered = await newestFirst(unread, beginningOf)
  const since = newestFrom(ordered)
  progress.search_covers_since = since[0] ?? null
  await preview(job, ordered, progress, isOver)
  for (const [at, file] of [...unchanged, ...ordered].entries()) {
    if (isOver()) break
    progress.search_covers_since = since[Math.max(0, at - unchanged.length)] ?? null
    await importFile(file)
    progress.files_done += 1
    report()
  }
  if (!isOver()) progress.search_covers_since = null
  progress.file = null
  // Data that was read but not sent has no checkpoint, so a later import reads it again.
  if (!isOver()) await batcher.send()
  await batcher.settled()
  for (const history of job.promptHistories)
    if (!isOver()) await importPromptHistory(history, { ...options, known: job.known, redactor })
  if (!isOver()) await noteFolders(job, batcher)
  await batcher.settled()
  if (!isOver()) await endPreviews(job)
  progress.done = !job.isCancelled()
  report()
}

function notAmong(files: readonly TranscriptFile[], others: readonly TranscriptFile[]): readonly TranscriptFile[] {
  const paths = new Set(files.map(({ path }) => path))
  return others.filter(({ path }) => !paths.has(path))
}

type Progress = { -readonly [Name in keyof ImportProgress]: ImportProgress[Name] }

/** Shows the figures of the files that will be imported, if that is worthwhile. */
async function preview(job: ImportJob, ordered: readonly TranscriptFile[], progress: Progress, isOver: () => boolean) {
  const { known, previewFromBytes: from, redactor, sender } = job
  const previews = known.previews()
  if (from !== null && ordered.reduce((sum, { size }) => sum + size, 0) >= from) {
    progress.previewing = true
    await previewFiles({
      files: ordered,
      known: previews,
      redactor,
      sender,
      isCancelled: isOver,
      onRead(bytes) {
        progress.bytes_previewed += bytes
        job.onProgress({ ...progress })
      },
    })
    progress.previewing = false
  }
  // Deleted files stay unread, and the settings may exclude previews by now.
  const gone = [...previews.keys()].filter((path) => from === null || lookAt(path) === null)
  if (gone.length > 0) await (await sender.send({ drafts: [], preview: { end: gone } })).answered
}

/** Ends the previews of files that could not be read whole. */
async function endPreviews({ found, known, sender }: ImportJob): Promise<void> {
  const previews = known.previews()
  const left = found.files.flatMap(({ path }) => (previews.has(path) ? [path] : []))
  if (left.length > 0) await (await sender.send({ drafts: [], preview: { end: left } })).answered
}

function startOf({ files, unreadable, renamed }: FoundTranscripts): Progress {
  return {
    files: files.length,
    files_done: 0,
    files_unchanged: 0,
    files_deleted: 0,
    sessions: 0,
    file: null,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    bytes_done: 0,
    lines: 0,
    events_added: 0,
    sightings_added: 0,
    events_deleted: 0,
    lines_bad: unreadable,
    files_passed_over: renamed.length,
    passed_over: renamed.slice(0, PASSED_OVER_NAMED),
    previewing: false,
    bytes_previewed: 0,
    search_covers_since: null,
    done: false,
  }
}

/** All of the file was read before; `deleted` names the sessions of which nothing is kept. */
function leaveAsItIs(progress: Progress, { path, size }: TranscriptFile, deleted: readonly string[]): void {
  progress.files_unchanged += 1
  if (deleted.some((id) => isFileOfSession(path, id))) progress.files_deleted += 1
  progress.bytes_done += size
}

/** No client of ours wrote the file. */
function passOver(progress: Progress, { path, size }: TranscriptFile): void {
  progress.files_passed_over += 1
  progress.bytes_done += size
  if (progress.passed_over.length < PASSED_OVER_NAMED) progress.passed_over = [...progress.passed_over, path]
}

/** Whole folders were read, and may be followed from now on. */
async function noteFolders({ found }: ImportJob, batcher: Batcher): Promise<void> {
  for (const folder of found.folders) batcher.note(wholeFolder(folder))
  await batcher.send()
}

const wholeFolder = (path: string): ImportCheckpoint => ({
  path,
  identity: FOLLOWED_FOLDER,
  offset: 0,
  size: 0,
  mtime_ms: 0,
})
