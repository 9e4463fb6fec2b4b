import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { AppendResult } from '../../../store/ingest/ingest.ts'
import type { CommitGroup } from './commit-queue.ts'
import type { ImportSlice, ImportWritten } from './import-lane.ts'
import type { StoreGate } from './store-gate.ts'

/** What refuses an import as a whole, and no single draft of it. */
const REFUSALS: ReadonlySet<string> = new Set(['store_unavailable', 'lifestats_off'])

export interface CommitsOptions {
  readonly write: StoreGate['write']
  writeStored(drafts: readonly AnyDraft[], kept: ImportSlice): AppendResult
  /** No table takes this draft: it is left out, alone. */
  onRefused(draft: AnyDraft, message: string): void
  /** Milliseconds from the arrival of the oldest. */
  onCommitted(lagMs: number): void
  /** Something was tried, whatever came of it. */
  onWritten(): void
}

/** Writes what both lanes bring; where a batch is refused, one by one, so that only what is wrong in itself is left out. */
export function createCommits({ write, writeStored, onRefused, onCommitted, onWritten }: CommitsOptions) {
  function commit(groups: readonly CommitGroup[]): void {
    const [first] = groups
    if (!first) return
    try {
      const outcome = write(groups.flatMap((group) => group.drafts))
      onCommitted(performance.now() - first.arrivedAt)
      for (const group of groups) group.onSettled(outcome)
    } catch (error) {
      // One of them cannot be stored: the others must not suffer for it.
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
      return { added: result.added.length, joined: result.joined, dropped: result.dropped }
    } catch (error) {
      // Of a longer transaction more was undone than this: whoever keeps it begins anew.
      if (kept.staysOpen || (error instanceof AspyError && REFUSALS.has(error.code))) throw error
      const [only] = drafts
      if (drafts.length === 1 && only) return { added: 0, joined: 0, dropped: refuse(only, error) }
      const each = drafts.map((draft) => writeImported([draft], { ...kept, checkpoints: [] }))
      writeStored([], kept)
      return each.reduce((sum, one) => ({
        added: sum.added + one.added,
        joined: sum.joined + one.joined,
        dropped: sum.dropped + one.dropped,
      }))
    } finally {
      onWritten()
    }
  }

  return { commit, writeImported }
}
