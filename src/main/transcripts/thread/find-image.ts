import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dataAddress } from '../../decode/media.ts'
import { parseJson } from '../../decode/json-access.ts'
import { isObject } from '../../../shared/json-fields.ts'
import type { Json } from '../../../shared/event.ts'
import type { FoundImage, WantedImage } from '../protocol.ts'
import { isFileError } from './file-error.ts'
import { lookAt, type TranscriptFile } from './find-files.ts'
import { documentOf } from './file-decoder.ts'
import { imageHeader } from '../../base/image-header.ts'
import { readDocument } from './json-document.ts'
import { readLines, splitLines, type LineBatch } from './read-lines.ts'
import { clientOfName, isCompressedPath } from './transcript-names.ts'
import { UnpackedChunks } from './unpacked-chunks.ts'

/** A larger image is not sent to a window. */
const MAX_BYTES = 8 * 1024 * 1024
/** An image of more pixels is never decoded: as pixels it would take more than 160 MB. */
const MAX_PIXELS = 40_000_000
const MAX_SIDE = 16_384
/** No client nests an image deeper than this. */
const MAX_DEPTH = 40

export interface FindImageOptions {
  readonly wanted: WantedImage
  /** The transcripts in which the session's own are searched for. */
  readonly files: readonly TranscriptFile[]
  /** The keyed hash under which images are recorded. */
  readonly hash: (text: string) => string
  isCancelled(): boolean
}

/**
 * Looks up an image in the transcripts of its session, by the keyed hash of its text. No path is made from the caller's
 * input: a session's files are those found files whose name is its id.
 */
export async function findImage({ wanted, files, hash, isCancelled }: FindImageOptions): Promise<FoundImage> {
  if (wanted.bytes > MAX_BYTES) return { refused: 'too_large' }
  for (const { path } of files) {
    if (clientOfName(path).isOfSession?.(path, wanted) !== true) continue
    const data = await imageIn(path, wanted, hash, isCancelled)
    if (data !== null) return checked(data, wanted)
  }
  return { refused: 'gone' }
}

async function imageIn(path: string, wanted: WantedImage, hash: (text: string) => string, isCancelled: () => boolean) {
  // A file that was replaced by a link since it was found is not read.
  if (lookAt(path) === null) return null
  let file: FileHandle | null = null
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const batches = await batchesOf(path, file)
    for await (const { lines, rest } of batches) {
      if (isCancelled()) return null
      for (const { text } of rest === '' ? lines : [...lines, { text: rest }]) {
        // Most lines are shorter than the image, and are not parsed.
        if (text === null || text.length < wanted.bytes) continue
        const found = textWithHash(parseJson(text), wanted, hash, 0)
        if (found !== null) return found
      }
    }
    return null
  } catch (error) {
    // Deleted or made unreadable in the meantime, as clients do with old transcripts.
    if (isFileError(error)) return null
    throw error
  } finally {
    await file?.close()
  }
}

async function batchesOf(path: string, file: FileHandle): Promise<AsyncIterable<LineBatch> | readonly LineBatch[]> {
  if (isCompressedPath(path)) return splitLines(new UnpackedChunks(file).chunks())
  const parts = await documentOf(path, file)
  if (parts === null) return readLines(file)
  const document = await readDocument(file, parts)
  return document === null ? [] : [document]
}

/** Searches a line's values for the base64 text with the hash. Only texts of the right length are hashed. */
function textWithHash(
  value: Json | undefined,
  wanted: WantedImage,
  hash: (text: string) => string,
  depth: number,
): string | null {
  if (typeof value === 'string') {
    if (value.length < wanted.bytes) return null
    const data = dataAddress(value)?.data ?? value
    return Buffer.byteLength(data, 'base64') === wanted.bytes && hash(data) === wanted.hash ? data : null
  }
  if (depth > MAX_DEPTH || value === undefined) return null
  const within: readonly Json[] = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  for (const item of within) {
    const found = textWithHash(item, wanted, hash, depth + 1)
    if (found !== null) return found
  }
  return null
}

/** Refuses images that differ from their record or would take too much memory when decoded. */
function checked(data: string, wanted: WantedImage): FoundImage {
  const header = imageHeader(Buffer.from(data, 'base64'))
  if (header === null) return { refused: 'not_an_image' }
  const { type, width, height } = header
  if (wanted.media_type !== null && wanted.media_type !== type) return { refused: 'other_type' }
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) return { refused: 'too_large' }
  return { refused: null, media_type: type, width, height, data }
}
