import { open } from 'node:fs/promises'
import type { Config } from '../../../../shared/config.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { PreviewedFile } from '../../../store/preview/previewed-file.ts'
import type { KnownPreview } from '../../../store/read/transcript-files.ts'
import type { BatchSender } from '../../batch-sender.ts'
import { isFileError, NotATranscript } from '../file-error.ts'
import { createFileDecoder, documentOf } from '../file-decoder.ts'
import type { TranscriptFile } from '../find-files.ts'
import { clientOfName, isCompressedPath } from '../transcript-names.ts'
import { FileFigures } from './file-figures.ts'
import { linesAsBytes } from './lines-as-bytes.ts'

/** Drafts in a message. The recorder stores them in a few milliseconds. */
const PART_DRAFTS = 400
const CHUNK_BYTES = 4 * 1024 * 1024

export interface PreviewPass {
  /** In the order in which they are imported. */
  readonly files: readonly TranscriptFile[]
  /** Results of earlier passes, by path. */
  readonly known: ReadonlyMap<string, KnownPreview>
  readonly redactor: Redactor
  readonly sender: BatchSender
  isCancelled(): boolean
  /** Bytes since the previous call. */
  onRead(bytes: number): void
}

/** False if settings may drop events: otherwise figures would be shown that are never recorded. */
export function mayPreview({ filter, processors }: Pick<Config, 'filter' | 'processors'>): boolean {
  const { sample, ...lists } = filter
  return (
    Object.keys(sample).length === 0 &&
    Object.values(lists).every((list) => list.length === 0) &&
    processors.modules.length === 0
  )
}

/**
 * Scans files for their figures only, so that lists and costs show them before the files are imported. A file that was
 * scanned and has not changed is skipped. Compressed files, and those without lines, are left for the import.
 */
export async function previewFiles(pass: PreviewPass): Promise<void> {
  const sending = new PartSender(pass.sender)
  // One for all files: a buffer for each makes V8 collect garbage every few files.
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (const file of pass.files) {
    if (pass.isCancelled()) break
    const known = pass.known.get(file.path)
    const isKnown = known?.size === file.size && known.mtime_ms === file.mtimeMs
    try {
      if (!isKnown && !isCompressedPath(file.path)) await previewFile(file, pass, { sending, buffer })
    } catch (error) {
      // The import counts it.
      if (!isFileError(error) && !(error instanceof NotATranscript)) throw error
    }
  }
  await sending.settled()
}

async function previewFile(
  file: TranscriptFile,
  pass: PreviewPass,
  { sending, buffer }: { readonly sending: PartSender; readonly buffer: Buffer },
): Promise<void> {
  const { redactor, isCancelled, onRead } = pass
  const { path, size, mtimeMs } = file
  const handle = await open(path, 'r')
  try {
    if ((await documentOf(path, handle)) !== null) return
    const decoder = await createFileDecoder(path, handle, {
      hash: redactor.hash,
      onUnknownField: () => undefined,
      fileTime: () => mtimeMs,
    })
    const figures = new FileFigures(redactor)
    const { figuresOf = (line: Buffer) => line.toString('utf8') } = clientOfName(path)
    for await (const lines of linesAsBytes(handle, buffer)) {
      if (isCancelled()) return
      for (const line of lines) {
        const text = line.length === 0 ? null : figuresOf(line)
        if (text === null) continue
        for (const draft of decoder.line(text)) figures.take(draft)
      }
      onRead(lines.reduce((sum, line) => sum + line.length + 1, 0))
      if (figures.size >= PART_DRAFTS) await sending.add(partOf(figures, false))
    }
    for (const draft of decoder.end()) figures.take(draft)
    await sending.add(partOf(figures, true))
  } finally {
    await handle.close()
  }

  function partOf(figures: FileFigures, isWhole: boolean): PreviewedFile {
    const sessions = isWhole ? figures.sessions() : []
    return { path, size, mtime_ms: mtimeMs, isWhole, drafts: figures.takeDrafts(), sessions }
  }
}

/** Sends parts of files together, as many drafts as the recorder stores at once. */
class PartSender {
  readonly #sender: BatchSender
  readonly #unanswered = new Set<Promise<unknown>>()
  #parts: PreviewedFile[] = []
  #drafts = 0
  #failure: unknown = null

  constructor(sender: BatchSender) {
    this.#sender = sender
  }

  async add(part: PreviewedFile): Promise<void> {
    for (let from = 0; part.drafts.length - from > PART_DRAFTS; from += PART_DRAFTS) {
      const drafts = part.drafts.slice(from, from + PART_DRAFTS)
      await this.#put({ ...part, isWhole: false, sessions: [], drafts })
    }
    const rest = part.drafts.length === 0 ? 0 : Math.floor((part.drafts.length - 1) / PART_DRAFTS) * PART_DRAFTS
    await this.#put({ ...part, drafts: part.drafts.slice(rest) })
  }

  /** Sends the rest and waits for all answers. Throws the first refusal. */
  async settled(): Promise<void> {
    await this.#send()
    await Promise.all(this.#unanswered)
    if (this.#failure !== null) throw this.#failure
  }

  async #put(part: PreviewedFile): Promise<void> {
    this.#parts.push(part)
    this.#drafts += part.drafts.length + 1
    if (this.#drafts >= PART_DRAFTS) await this.#send()
  }

  async #send(): Promise<void> {
    if (this.#parts.length === 0) return
    const files = this.#parts
    this.#parts = []
    this.#drafts = 0
    const { answered } = await this.#sender.send({ drafts: [], preview: { files } })
    const settled: Promise<void> = answered.then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= error
      },
    )
    this.#unanswered.add(settled)
    void settled.then(() => this.#unanswered.delete(settled))
  }
}
