import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'

/**
 * Increase it when the decoder reads files differently: each file is then read again, which corrects the stored data.
 */
export const DECODER_VERSION = 10
export const HEAD_BYTES = 256
export const TAIL_BYTES = 64

/** Facts about a file in a checkpoint besides its path. */
export type FileState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>

/**
 * Distinguishes a file from another one of the same name: `<device>:<inode>:<n>:<hash of the first n bytes>:<hash of
 * the last bytes before offset>:<decoder version>`. The hash is keyed, since it is stored in the database.
 */
export async function identityOf(
  file: FileHandle,
  state: FileState,
  offset: number,
  hash: (text: string) => string,
): Promise<string> {
  return identityWithHead(file, state, offset, Math.min(HEAD_BYTES, offset), hash)
}

/**
 * True if the file is still the one that was read up to the checkpoint: bytes may have been added, but none changed.
 */
export async function isContinued(
  file: FileHandle,
  state: FileState,
  known: ImportCheckpoint,
  hash: (text: string) => string,
): Promise<boolean> {
  const headBytes = Number(known.identity.split(':')[2])
  if (state.size < known.offset || !Number.isInteger(headBytes) || headBytes > HEAD_BYTES) return false
  return (await identityWithHead(file, state, known.offset, headBytes, hash)) === known.identity
}

/** True if the file has not changed since all of it was read. Does not open the file. */
export function isUnchanged(state: FileState, known: ImportCheckpoint | undefined): boolean {
  return (
    known !== undefined &&
    known.size === state.size &&
    known.mtime_ms === state.mtimeMs &&
    known.identity.startsWith(`${state.dev}:${state.ino}:`) &&
    known.identity.endsWith(`:${DECODER_VERSION}`)
  )
}

/**
 * True if a checkpoint's file had this content: the first bytes, and the last ones before its offset, as Latin-1. A file that
 * was moved or compressed is another one on disk, with the same content.
 */
export function isSameContent(
  known: ImportCheckpoint,
  head: string,
  tail: string,
  hash: (text: string) => string,
): boolean {
  const [, , headBytes, headHash, tailHash, version] = known.identity.split(':')
  return (
    version === String(DECODER_VERSION) &&
    headHash === hash(head.slice(0, Number(headBytes))) &&
    tailHash === hash(tail)
  )
}

async function identityWithHead(
  file: FileHandle,
  { dev, ino }: FileState,
  offset: number,
  headBytes: number,
  hash: (text: string) => string,
): Promise<string> {
  const head = await bytesAt(file, 0, headBytes)
  const tail = await bytesAt(file, Math.max(0, offset - TAIL_BYTES), Math.min(TAIL_BYTES, offset))
  return `${dev}:${ino}:${headBytes}:${hash(head)}:${hash(tail)}:${DECODER_VERSION}`
}

/** As Latin-1: every byte is a character. */
async function bytesAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.toString('latin1', 0, bytesRead)
}
