import type { OriginalLine } from '../../decode/transcript-decoder.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { Beginnings } from './file-beginning.ts'
import { lookAt } from './find-files.ts'
import { otherOwners } from './line-owners.ts'
import { messagesOf, type ChainedLine } from './message-lines.ts'
import { copiesLines, sessionOfFile } from './transcript-names.ts'

/**
 * Finds the lines of a file that repeat another's under uuids of their own, as copies made by other programs do: what
 * both begin with, up to the last answer or time that they share. Returns their originals by uuid.
 */
export async function copiedLines(
  path: string,
  originals: readonly string[],
): Promise<ReadonlyMap<string, OriginalLine>> {
  const found = new Map<string, OriginalLine>()
  if (originals.length === 0) return found
  const lines = await messagesOf(path)
  for (const original of originals) {
    const ownByChain = new Map((await messagesOf(original)).map((line) => [line.chain, line]))
    for (const { uuid, chain } of sharedBeginning(lines, ownByChain)) {
      const own = ownByChain.get(chain)
      const sessionId = own?.sessionId ?? sessionOfFile(original)
      if (own === undefined || own.uuid === uuid || sessionId === null || found.has(uuid)) continue
      found.set(uuid, { sessionId, uuid: own.uuid })
    }
  }
  return found
}

/** Two people may type the same prompt; the same answer, or the same moment after one, makes it a copy. */
function sharedBeginning(lines: readonly ChainedLine[], others: ReadonlyMap<string, ChainedLine>) {
  let shared = 0
  for (const [at, { chain, answerId, time }] of lines.entries()) {
    const other = others.get(chain)
    if (other === undefined) break
    if (answerId !== null || (shared > 0 && time !== '' && time === other.time)) shared = at + 1
  }
  return lines.slice(0, shared)
}

/** Remembers the files that an import has read: a later one that begins with the same answer may be a copy. */
export class PossibleOriginals {
  readonly #beginningOf: Beginnings
  readonly #read = new Map<string, string[]>()

  constructor(beginningOf: Beginnings) {
    this.#beginningOf = beginningOf
  }

  /** Returns the files of which a session's file may be a copy, the oldest first, and remembers it as read. */
  async of(path: string, known: KnownTranscripts): Promise<readonly string[]> {
    const { answerId } = this.#beginningOf(path)
    if (answerId === null || !copiesLines(path)) return []
    const before = this.#read.get(answerId) ?? []
    this.#read.set(answerId, [...before.filter((other) => other !== path), path])
    const all = new Set([...(await this.#inStore(path, known)), ...before])
    return [...all].filter((other) => other !== path && this.#hasOtherUuids(path, other))
  }

  /** Returns the files of the sessions to which its answers already belong. */
  async #inStore(path: string, known: KnownTranscripts): Promise<readonly string[]> {
    const { uuid, answerId } = this.#beginningOf(path)
    const own = sessionOfFile(path)
    const owner = answerId === null ? null : known.sessionOfAnswer(answerId)
    // A fork of the client's own keeps the uuids.
    if (owner === null || owner === own || (uuid !== null && known.sessionOfLine(uuid) !== null)) return []
    const owners = [...(await otherOwners(path, own ?? '', known))]
    const files = [...known.all().keys()].map((file) => ({ file, session: sessionOfFile(file) }))
    return owners.flatMap((owned) =>
      files.flatMap(({ file, session }) => (session === owned && lookAt(file)?.isAgent === false ? [file] : [])),
    )
  }

  #hasOtherUuids(path: string, other: string): boolean {
    return this.#beginningOf(path).uuid !== this.#beginningOf(other).uuid
  }
}
