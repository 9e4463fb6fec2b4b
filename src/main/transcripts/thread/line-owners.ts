import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { FileBeginning } from './file-beginning.ts'
import { namesIn } from './fork-order.ts'
import { messagesOf } from './message-lines.ts'

/** Returns the session that was given a line, or the answer that it is part of; null if neither is known. */
export const ownerOf = ({ uuid, answerId }: FileBeginning, known: KnownTranscripts): string | null =>
  (uuid === null ? null : known.sessionOfLine(uuid)) ?? (answerId === null ? null : known.sessionOfAnswer(answerId))

/**
 * Returns the sessions that were given lines of a session's file: its original, and a fork of it that was imported
 * before it.
 */
export async function otherOwners(path: string, own: string, known: KnownTranscripts): Promise<ReadonlySet<string>> {
  const owners = new Set<string>()
  for (const line of await messagesOf(path)) {
    const owner = ownerOf(line, known)
    // Copies under new uuids are known by their answers only.
    if (owner === null && line.answerId === null) continue
    // A file's own lines follow those that it copied.
    if (owner === null || owner === own) break
    owners.add(owner)
  }
  return owners
}

/** Returns the sessions that were given the summaries in a file: the fork of a compacted session begins with one. */
export async function summaryOwners(path: string, known: KnownTranscripts): Promise<readonly string[]> {
  if ((await namesIn(path, ['"isCompactSummary":true'])).length === 0) return []
  const lines = await messagesOf(path)
  return lines.flatMap(({ uuid, isSummary }) => (isSummary ? (known.sessionOfLine(uuid) ?? []) : []))
}
