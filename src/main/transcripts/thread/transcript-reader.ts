import { open, type FileHandle } from 'node:fs/promises'
import { isJson } from '../../decode/json-access.ts'
import { isOnlyRecords } from '../../decode/whole-records.ts'
import type { DecoderFacts, DocumentParts } from '../../decode/client/transcript-client.ts'
import type { TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import type { Batcher } from './batcher.ts'
import { copiedLines } from './copied-lines.ts'
import { createFileDecoder, documentOf } from './file-decoder.ts'
import { identityOf, isContinued, isUnchanged, type FileState } from './file-identity.ts'
import { readLines } from './read-lines.ts'
import { createSpilledResults } from './spilled-results.ts'
import { isCompressedPath } from './transcript-names.ts'
import { readWholeFile } from './whole-file-reader.ts'

/**
 * The most that a new decoder reads again before it continues a file: earlier lines determine the authors and parents
 * of later ones. Beyond that, parents are found by the keys of their lines.
 */
const SHOWN_BEFORE_BYTES = 32 * 1024 * 1024
/** A file to which nobody wrote for this long is left: a last line without its end will not be completed. */
const CUT_FOR_GOOD_MS = 60_000

export interface ReadOptions {
  readonly batcher: Batcher
  isCancelled(): boolean
  /** Bytes and lines since the previous call. */
  onRead(read: { readonly bytes: number; readonly lines: number; readonly bad: number }): void
}

/** Reads one transcript file from where it was left each time, and keeps its decoder's knowledge of earlier lines. */
export interface TranscriptReader {
  /**
   * Reads the added lines and passes them to the batcher with the position reached. A file that was cut or replaced is
   * read from its beginning; known facts are not recorded twice. Throws if the file cannot be read.
   */
  read(options: ReadOptions): Promise<void>
}

export interface TranscriptReaderOptions {
  readonly path: string
  readonly hash: (text: string) => string
  /** The position reached by any earlier reader. */
  readonly known: ImportCheckpoint | undefined
  /** For a compressed file: the position reached before it was compressed. */
  readonly knownPlain?: ImportCheckpoint | undefined
  /** Files of which it may be a copy under new uuids, the oldest first. */
  readonly originals?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

export function createTranscriptReader(options: TranscriptReaderOptions): TranscriptReader {
  const { path, hash, now = Date.now } = options
  const withSpilled = createSpilledResults(path)
  let known = options.known
  let decoder: TranscriptDecoder | null = null
  let modifiedAt: number | null = null
  let onUnknownField: (what: string) => void = () => undefined
  let broken = 0

  async function startingPoint(file: FileHandle, state: FileState): Promise<number> {
    if (known && (await isContinued(file, state, known, hash))) return known.offset
    decoder = null
    return 0
  }

  async function decoderAt(file: FileHandle, offset: number): Promise<TranscriptDecoder> {
    if (decoder !== null) return decoder
    const copied = await copiedLines(path, options.originals ?? [])
    const fresh = await createFileDecoder(path, file, {
      hash,
      originalOf: (uuid) => copied.get(uuid),
      onUnknownField: (what) => onUnknownField(what),
      onBrokenLine: () => (broken += 1),
      fileTime: () => (modifiedAt === null ? null : Math.min(modifiedAt, now())),
      isLeft: () => now() - (modifiedAt ?? 0) > CUT_FOR_GOOD_MS,
    })
    await showBefore(fresh, file, offset)
    decoder = fresh
    return fresh
  }

  async function readWhole(file: FileHandle, state: FileState, document: DocumentParts | null, read: ReadOptions) {
    if (isUnchanged(state, known)) return
    const createDecoder = (reports: Pick<DecoderFacts, 'onUnknownField' | 'onBrokenLine'>) =>
      createFileDecoder(path, file, { hash, ...reports, fileTime: () => Math.min(state.mtimeMs, now()) })
    const { knownPlain } = options
    known = (await readWholeFile({ path, file, state, hash, document, knownPlain, createDecoder }, read)) ?? known
    if (known !== undefined) read.batcher.note({ ...known, isEnd: true })
  }

  return {
    async read(read) {
      const { batcher, isCancelled, onRead } = read
      const file = await open(path, 'r')
      try {
        const state = await file.stat()
        modifiedAt = state.mtimeMs
        const document = await documentOf(path, file)
        if (document !== null || isCompressedPath(path)) return await readWhole(file, state, document, read)
        let offset = await startingPoint(file, state)
        // Lines that are only shown to the decoder again have already been counted.
        onUnknownField = () => undefined
        const decode = await decoderAt(file, offset)
        onUnknownField = batcher.unknownField
        broken = 0
        const checkpoint = async (size: number): Promise<ImportCheckpoint> => {
          const identity = await identityOf(file, state, offset, hash)
          return { path, identity, offset, size, mtime_ms: state.mtimeMs }
        }
        if (offset > 0) onRead({ bytes: offset, lines: 0, bad: 0 })
        let reported = offset
        let rest = ''
        for await (const batch of readLines(file, { from: offset })) {
          let bad = 0
          for (const { text, end } of batch.lines) {
            if (isCancelled()) return
            if (text === null) bad += 1
            else batcher.take(withSpilled(decode.line(text)), text.length)
            offset = end
            if (!batcher.isFull()) continue
            batcher.note(await checkpoint(offset))
            await batcher.send()
          }
          rest = batch.rest
          onRead({ bytes: batch.offset - reported, lines: batch.lines.length, bad: bad + broken })
          broken = 0
          reported = batch.offset
        }
        const isLeft = now() - state.mtimeMs > CUT_FOR_GOOD_MS
        const isToldAnyway = rest !== '' && (isJson(rest) || isLeft || isOnlyRecords(rest))
        if (isToldAnyway) batcher.take(withSpilled(decode.line(rest)), rest.length)
        batcher.take(decode.end(), 0)
        const bad = broken + Number(rest !== '' && !isToldAnyway)
        if (rest !== '' || bad > 0) onRead({ bytes: 0, lines: Number(rest !== ''), bad })
        known = await checkpoint(reported)
        batcher.note({ ...known, isEnd: true })
        // If that line continues after all, it is read again, by a decoder that has not seen its beginning.
        // An empty file does not show whose it is.
        if (isToldAnyway || state.size === 0) decoder = null
      } finally {
        await file.close()
      }
    },
  }
}

/** Shows a new decoder the lines before the position from which it continues. */
async function showBefore(decoder: TranscriptDecoder, file: FileHandle, offset: number): Promise<void> {
  const from = Math.max(0, offset - SHOWN_BEFORE_BYTES)
  if (from > 0 && decoder.needsFirstLine === true) {
    const first = await firstLine(file)
    if (first !== null) decoder.line(first)
  }
  if (offset === 0) return
  let isWhole = from === 0
  for await (const { lines } of readLines(file, { from })) {
    for (const { text, end } of lines) {
      if (end > offset) return
      // Started in the middle, the first line may be the end of one.
      if (isWhole && text !== null) decoder.line(text)
      isWhole = true
    }
    if ((lines.at(-1)?.end ?? 0) >= offset) return
  }
}

async function firstLine(file: FileHandle): Promise<string | null> {
  for await (const { lines } of readLines(file)) for (const { text } of lines) return text
  return null
}
