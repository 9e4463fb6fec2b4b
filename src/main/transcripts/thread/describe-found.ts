import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import { isUnchanged } from './file-identity.ts'
import { findTranscripts, type TranscriptFile } from './find-files.ts'
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
  /** Days without a change after which a client deletes the files in a folder. */
  readonly keptDays: ReadonlyMap<string, number>
  isFollowing(folder: string): boolean
}

/** Files that a client deletes within this time are pointed out, in days. */
const SOON_DAYS = 7
const DAY_MS = 86_400_000

/**
 * Returns the number and size of existing transcripts, and the estimated time to import the rest. Opens no transcript.
 */
export function describeFound({
  folders,
  histories,
  dataDir,
  known,
  keptDays,
  isFollowing,
}: FoundOptions): TranscriptsFound {
  const found = folders.map((path) => ({ path, ...findTranscripts([path], dataDir) }))
  const files = [...new Map(found.flatMap(({ files }) => files.map((file) => [file.path, file] as const))).values()]
  const newBytes = files.reduce((sum, file) => {
    if (isUnchanged(file, known.get(file.path))) return sum
    const offset = known.get(file.path)?.offset ?? 0
    return sum + (offset <= file.size ? file.size - offset : file.size)
  }, 0)
  const isNew = (file: TranscriptFile) => !isUnchanged(file, known.get(file.path))
  const soon = found.flatMap(({ path, files: own }) => {
    const since = Date.now() - ((keptDays.get(path) ?? Infinity) - SOON_DAYS) * DAY_MS
    return own.filter(({ mtimeMs, isAgent }) => !isAgent && mtimeMs < since)
  })
  const bytesOf = (list: readonly { readonly size: number }[]) => list.reduce((sum, { size }) => sum + size, 0)
  return {
    folders: found.map(({ path, files }) => ({ path, files: files.length, bytes: bytesOf(files) })),
    files: files.length,
    bytes: bytesOf(files),
    sessions: files.filter(({ isAgent }) => !isAgent).length,
    imported_files: files.filter((file) => !isNew(file)).length,
    deleted_soon: soon.length,
    deleted_soon_new: soon.filter(isNew).length,
    new_bytes: newBytes,
    estimate_s: newBytes === 0 ? 0 : Math.max(1, Math.round(newBytes / BYTES_PER_SECOND)),
    spilled_files: found.reduce((sum, { spilled }) => sum + spilled.files, 0),
    spilled_bytes: found.reduce((sum, { spilled }) => sum + spilled.bytes, 0),
    prompt_histories: histories,
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
    following: folders.some(isFollowing),
  }
}
