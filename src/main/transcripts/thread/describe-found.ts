import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { isUnchanged } from './file-identity.ts'
import { findTranscripts } from './find-files.ts'
import type { TranscriptsFound } from '../protocol.ts'

/** Bytes that an import reads per second, at least, on a small machine. */
const BYTES_PER_SECOND = 3 * 1024 * 1024

export interface FoundOptions {
  readonly folders: readonly string[]
  /** Lists of prompts. */
  readonly histories: number
  readonly dataDir: string
  /** The position reached in each file, by path. */
  readonly known: ReadonlyMap<string, ImportCheckpoint>
  isFollowing(folder: string): boolean
}

/**
 * Returns the number and size of existing transcripts, and the estimated time to import the rest. Opens no transcript.
 */
export function describeFound({ folders, histories, dataDir, known, isFollowing }: FoundOptions): TranscriptsFound {
  const found = folders.map((path) => ({ path, ...findTranscripts([path], dataDir) }))
  const files = [...new Map(found.flatMap(({ files }) => files.map((file) => [file.path, file] as const))).values()]
  const newBytes = files.reduce((sum, file) => {
    if (isUnchanged(file, known.get(file.path))) return sum
    const offset = known.get(file.path)?.offset ?? 0
    return sum + (offset <= file.size ? file.size - offset : file.size)
  }, 0)
  const bytesOf = (list: readonly { readonly size: number }[]) => list.reduce((sum, { size }) => sum + size, 0)
  return {
    folders: found.map(({ path, files }) => ({ path, files: files.length, bytes: bytesOf(files) })),
    files: files.length,
    bytes: bytesOf(files),
    sessions: files.filter(({ isAgent }) => !isAgent).length,
    imported_files: files.filter((file) => isUnchanged(file, known.get(file.path))).length,
    new_bytes: newBytes,
    estimate_s: newBytes === 0 ? 0 : Math.max(1, Math.round(newBytes / BYTES_PER_SECOND)),
    spilled_files: found.reduce((sum, { spilled }) => sum + spilled.files, 0),
    spilled_bytes: found.reduce((sum, { spilled }) => sum + spilled.bytes, 0),
    prompt_histories: histories,
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
    following: folders.some(isFollowing),
  }
}
