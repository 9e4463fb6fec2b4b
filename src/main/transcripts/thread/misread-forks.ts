import type { ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import type { ImportedSession } from '../../store/delete/forget-imported.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import { lookAt, type TranscriptFile } from './find-files.ts'
import type { Beginnings } from './file-beginning.ts'
import { originalsFirst } from './fork-order.ts'
import { otherOwners, ownerOf, summaryOwners } from './line-owners.ts'
import { sessionOfFile } from './transcript-names.ts'

/** Sessions to forget and read again, and their files. */
export interface Misread {
  readonly sessions: readonly ImportedSession[]
  readonly files: readonly TranscriptFile[]
}

/**
 * Finds forks that were imported before their original, which an earlier import did not have: the fork was given the
 * original's history. Only sessions that were imported alone, and whose files are still there, can be read again.
 */
export async function findMisreadForks(
  unread: readonly TranscriptFile[],
  known: KnownTranscripts,
  checkpoints: ReadonlyMap<string, ImportCheckpoint>,
  beginningOf: Beginnings,
): Promise<Misread> {
  const found = new Map<string, readonly TranscriptFile[]>()
  const filesOf = filesBySession(checkpoints)
  for (const file of unread) {
    const own = file.isAgent ? null : sessionOfFile(file.path)
    if (own === null || found.has(own)) continue
    const owner = ownerOf(beginningOf(file.path), known)
    const isCopied = owner !== null && owner !== own
    const forks = isCopied ? await otherOwners(file.path, own, known) : await summaryOwners(file.path, known)
    for (const fork of forks) {
      if (fork === own) continue
      const read = found.has(fork) ? undefined : filesOf(fork).find((other) => !other.isAgent)
      if (read === undefined || (await originalsFirst([read, file], beginningOf))[0] !== file) continue
      const family: readonly string[] = [fork, own, ...known.sessionsThatRepeat(fork)]
      if (!family.every((session) => known.isImportedAlone(session))) continue
      for (const session of family) {
        const files = filesOf(session)
        if (session === own || files.length > 0) found.set(session, files)
      }
    }
  }
  return {
    sessions: [...found].map(([session_id, files]) => ({ session_id, paths: files.map(({ path }) => path) })),
    files: [...found.values()].flat(),
  }
}

/** Finds the imported files of a session that are still there, its own file first. */
function filesBySession(checkpoints: ReadonlyMap<string, ImportCheckpoint>): (session: string) => TranscriptFile[] {
  let bySession: Map<string, string[]> | null = null
  return (session) => {
    if (bySession === null) {
      bySession = new Map()
      for (const path of checkpoints.keys()) {
        const owner = sessionOfFile(path)
        if (owner !== null) bySession.set(owner, [...(bySession.get(owner) ?? []), path])
      }
    }
    const files = (bySession.get(session) ?? []).flatMap((path) => lookAt(path) ?? [])
    return files.toSorted((a, b) => Number(a.isAgent) - Number(b.isAgent))
  }
}
