import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { AppendResult } from '../../../store/ingest/ingest.ts'
import type { CommitGroup } from './commit-queue.ts'
import type { ImportSlice, ImportWritten } from './import-lane.ts'
import type { StoreGate } from './gate.ts'

/** Errors that refuse an import as a whole rather than a single draft. */
const REFUSALS: ReadonlySet<string> = new Set(['store_unavailable', 'lifestats_off'])

export interface CommitsOptions {
  readonly write: StoreGate['write']
  writeStored(drafts: readonly AnyDraft[], kept: ImportSlice): AppendResult
  /** Called for a draft that no table accepts: only this draft is left out. */
  onRefused(draft: AnyDraft, message: string): void
  /** Called with the milliseconds since the oldest draft arrived. */
  onCommitted(lagMs: number): void
  /** Called after each attempt to write, successful or not. */
  onWritten(): void
}

/** Writes live and imported drafts. A refused batch is written draft by draft, so that only invalid ones are left out. */
export function createCommits({ write, writeStored, onRefused, onCommitted, onWritten }: CommitsOptions) {
  function commit(groups: readonly CommitGroup[]): void {
    const [first] = groups
    if (!first) return
    try {
      for (const group of groups) group.onWrite?.()
      const outcome = write(groups.flatMap((group) => group.drafts))
      onCommitted(performance.now() - first.arrivedAt)
      for (const group of groups) group.onSettled(outcome)
    } catch (error) {
      // At least one draft cannot be stored, which must not affect the others.
      if (groups.length > 1) for (const group of groups) commit([group])
      else commitOneByOne(first, error)
    }
    onWritten()
  }

  function commitOneByOne(group: CommitGroup, error: unknown): void {
    let lost = 0
    for (const draft of group.drafts) {
      try {
        if (group.drafts.length > 1) write([draft])
        else lost += refuse(draft, error, group)
      } catch (failure) {
        lost += refuse(draft, failure, group)
      }
    }
    if (lost === 0) group.onSettled('stored')
    else group.onSettled(group.isPost ? 'refused' : 'lost')
  }

  /** A refused post is reported to its caller, who still has the event: nothing is lost. */
  function refuse(draft: AnyDraft, error: unknown, group?: CommitGroup): number {
    if (!group?.isPost) onRefused(draft, toErrorAnswer(error).message)
    return 1
  }

  function writeImported(drafts: readonly AnyDraft[], kept: ImportSlice): ImportWritten {
    try {
      const result = writeStored(drafts, kept)
      return { added: result.added.length, joined: result.joined, deleted: result.deleted, dropped: result.dropped }
    } catch (error) {
      // In an open transaction, the rollback undid more than this slice: the import lane restarts it.
      if (kept.staysOpen || (error instanceof AspyError && REFUSALS.has(error.code))) throw error
      const [only] = drafts
      if (drafts.length === 1 && only) return { added: 0, joined: 0, deleted: 0, dropped: refuse(only, error) }
      const each = drafts.map((draft) => writeImported([draft], { ...kept, checkpoints: [] }))
      writeStored([], kept)
      return each.reduce((sum, one) => ({
        added: sum.added + one.added,
        joined: sum.joined + one.joined,
        deleted: sum.deleted + one.deleted,
        dropped: sum.dropped + one.dropped,
      }))
    } finally {
      onWritten()
    }
  }

  return { commit, writeImported }
}
