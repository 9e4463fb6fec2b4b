import type { FileHandle } from 'node:fs/promises'
import type { AnyDraft } from '../../decode/draft.ts'
import type { DecoderFacts, DocumentParts } from '../../decode/client/transcript-client.ts'
import type { TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { BeginningCheck } from './beginning-check.ts'
import { identityOf, type FileState } from './file-identity.ts'
import { readDocument } from './json-document.ts'
import { splitLines, type LineBatch } from './read-lines.ts'
import type { ReadOptions } from './transcript-reader.ts'
import { UnpackedChunks } from './unpacked-chunks.ts'

/** A file that is read from its beginning each time: nothing is ever appended to it. */
export interface WholeFile {
  readonly path: string
  readonly file: FileHandle
  readonly state: FileState
  readonly hash: (text: string) => string
  /** Set if the file is one JSON object; otherwise it is compressed. */
  readonly document: DocumentParts | null
  /** The position reached before the file was compressed. */
  readonly knownPlain: ImportCheckpoint | undefined
  createDecoder(reports: Pick<DecoderFacts, 'onUnknownField' | 'onBrokenLine'>): Promise<TranscriptDecoder>
}

/**
 * Reads a compressed file, or one that is a JSON object, from its beginning. Lines that were read before it was compressed
 * are only shown to the decoder. Returns the position reached; null if it was cancelled.
 */
export async function readWholeFile(whole: WholeFile, options: ReadOptions): Promise<ImportCheckpoint | null> {
  const { file, state, path, hash, knownPlain } = whole
  const skipped = knownPlain?.offset ?? 0
  const check = knownPlain === undefined ? null : new BeginningCheck(knownPlain, hash)
  const read = await readFrom(skipped, check)
  // A different file than the one that was read under this name: all of it is new.
  if (read === 'other file' && (await readFrom(0, null)) === 'cancelled') return null
  if (read === 'cancelled') return null
  options.onRead({ bytes: state.size, lines: 0, bad: 0 })
  const identity = await identityOf(file, state, state.size, hash)
  return { path, identity, offset: state.size, size: state.size, mtime_ms: state.mtimeMs }

  async function readFrom(start: number, beginning: BeginningCheck | null) {
    const { batcher, isCancelled, onRead } = options
    const source = await sourceOf(whole, beginning)
    let isNew = start === 0
    let broken = 0
    const decoder = await whole.createDecoder({
      onUnknownField: (what) => isNew && batcher.unknownField(what),
      onBrokenLine: () => (broken += Number(isNew)),
    })
    const take = (drafts: readonly AnyDraft[], characters: number) => isNew && batcher.take(drafts, characters)
    let rest = ''
    for await (const batch of source.batches) {
      let [lines, bad] = [0, 0]
      for (const { text, end } of batch.lines) {
        if (isCancelled()) return 'cancelled' as const
        if (!isNew && end > start) {
          if (beginning?.isSame() === false) return 'other file' as const
          isNew = true
        }
        if (isNew) lines += 1
        if (text !== null) take(decoder.line(text), text.length)
        else if (isNew) bad += 1
        if (batcher.isFull()) await batcher.send()
      }
      rest = batch.rest
      onRead({ bytes: 0, lines, bad: bad + broken })
      broken = 0
    }
    if (!isNew && beginning?.isSame() === false) return 'other file' as const
    if (rest !== '') take(decoder.line(rest), rest.length)
    take(decoder.end(), 0)
    // A damaged archive ends in the middle of a line, which is the same damage.
    const bad = source.isDamaged() ? 1 : broken
    if (bad > 0) onRead({ bytes: 0, lines: 0, bad })
    return 'read' as const
  }
}

interface LineSource {
  readonly batches: AsyncIterable<LineBatch> | readonly LineBatch[]
  /** Ask when all batches were read. */
  isDamaged(): boolean
}

async function sourceOf({ file, document: parts }: WholeFile, beginning: BeginningCheck | null): Promise<LineSource> {
  if (parts !== null) {
    const document = await readDocument(file, parts)
    return { batches: document === null ? [] : [document], isDamaged: () => document === null }
  }
  const packed = new UnpackedChunks(file)
  const chunks = beginning === null ? packed.chunks() : beginning.watch(packed.chunks())
  return { batches: splitLines(chunks), isDamaged: () => packed.isDamaged }
}
