import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { AnyDraft } from '../decode/draft.ts'
import { createTranscriptDecoder } from '../decode/claude-code/transcript-decoder.ts'
import { redactedDraft } from '../pipeline/pipeline.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { BatchSender } from './batch-sender.ts'
import type { FoundTranscripts, TranscriptFile } from './find-files.ts'
import type { ImportProgress } from './protocol.ts'
import { readLines } from './read-lines.ts'

/** A batch goes off at so many drafts or characters of lines, whichever comes first. */
const BATCH_DRAFTS = 500
const BATCH_CHARACTERS = 4 * 1024 * 1024

export interface ImportJob {
  readonly found: FoundTranscripts
  readonly redactor: Redactor
  readonly sender: BatchSender
  /** Whether the job was cancelled: it ends before the next batch. */
  isCancelled(): boolean
  onProgress(progress: ImportProgress): void
}

/** Reads the files one by one and hands what they say to the recorder. A file that cannot be read counts as a bad line. */
export async function importFiles(job: ImportJob): Promise<void> {
  const { redactor, sender } = job
  const { files } = job.found
  const progress = {
    files: files.length,
    files_done: 0,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    bytes_done: 0,
    lines: 0,
    events_added: 0,
    sightings_added: 0,
    lines_bad: job.found.unreadable,
    done: false,
  }
  const report = () => job.onProgress({ ...progress })
  const unanswered = new Set<Promise<void>>()
  let failure: unknown
  let counted: { readonly [rule: string]: number } = redactor.counts()
  let drafts: AnyDraft[] = []
  let characters = 0

  /** A message comes a block a line: unless all is told, its last texts wait for the one that may follow. */
  async function sendBatch(isLast = false): Promise<void> {
    const end = isLast ? drafts.length : drafts.findLastIndex((draft) => !isText(draft)) + 1
    const batch = redactor.neighbours(drafts.slice(0, end)).map((draft) => redactedDraft(draft, redactor))
    drafts = drafts.slice(end)
    characters = 0
    if (batch.length === 0) return
    const counts = redactor.counts()
    const { answered } = await sender.send({ drafts: batch, redacted: difference(counts, counted) })
    counted = counts
    const settled = answered.then(
      ({ added, joined, dropped }) => {
        progress.events_added += added
        progress.sightings_added += joined
        progress.lines_bad += dropped
        unanswered.delete(settled)
        report()
      },
      (error: unknown) => {
        failure ??= error
      },
    )
    unanswered.add(settled)
  }

  async function take(said: readonly AnyDraft[]): Promise<void> {
    drafts.push(...said)
    if (drafts.length >= BATCH_DRAFTS || characters >= BATCH_CHARACTERS) await sendBatch()
  }

  async function importFile({ path }: TranscriptFile): Promise<void> {
    const decoder = createTranscriptDecoder(await contextOf(path, redactor))
    let bytesBefore = 0
    for await (const { lines, skipped, offset } of readLines(path)) {
      progress.lines += lines.length + skipped
      progress.lines_bad += skipped
      for (const line of lines) {
        if (job.isCancelled() || failure !== undefined) return
        characters += line.length
        await take(decoder.line(line))
      }
      progress.bytes_done += offset - bytesBefore
      bytesBefore = offset
      report()
    }
    await take(decoder.end())
  }

  // What there is to read, before anything is read.
  report()
  for (const file of files) {
    if (job.isCancelled() || failure !== undefined) break
    try {
      await importFile(file)
    } catch (error) {
      if (!isFileError(error)) throw error
      progress.lines_bad += 1
    }
    progress.files_done += 1
    report()
  }
  if (!job.isCancelled()) await sendBatch(true)
  await Promise.all(unanswered)
  if (failure !== undefined) throw failure
  progress.done = !job.isCancelled()
  report()
}

const isText = (draft: AnyDraft) => draft.kind === 'thinking' || draft.kind === 'assistant_text'

const AGENT_FILE = /^agent-(.+)\.jsonl$/

/** A subagent's own file has its story in `agent-<id>.meta.json` beside it. */
async function contextOf(path: string, redactor: Redactor) {
  const agentId = AGENT_FILE.exec(basename(path))?.[1]
  const context = { path, hash: redactor.hash }
  return agentId === undefined ? context : { ...context, isAgentFile: { agentId, meta: await readMeta(path) } }
}

async function readMeta(path: string): Promise<unknown> {
  const metaPath = path.replace(/\.jsonl$/, '.meta.json')
  try {
    const { size } = await stat(metaPath)
    return size > 1024 * 1024 ? null : JSON.parse(await readFile(metaPath, 'utf8'))
  } catch (error) {
    // Older clients write none; a broken one tells nothing either.
    if (isFileError(error) || error instanceof SyntaxError) return null
    throw error
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function difference(now: { readonly [rule: string]: number }, before: { readonly [rule: string]: number }) {
  return Object.fromEntries(Object.entries(now).map(([rule, count]) => [rule, count - (before[rule] ?? 0)]))
}
