import type { AnyDraft } from '../../../decode/draft.ts'

/** Arrival to commit takes at most 100 ms; the remaining time is for the write itself. */
const DELAY_MS = 40
/** A caller waits for a posted event: those that come together still share a transaction. */
const POST_DELAY_MS = 2
const MAX_EVENTS = 200

/** Drafts that belong together: a part of one exchange, a hook, or a posted event. Already redacted and capped. */
export interface CommitGroup {
  readonly drafts: readonly AnyDraft[]
  /** When the first byte reached the recorder (performance.now()). */
  readonly arrivedAt: number
  /** A caller waits for the outcome. A post that no table accepts is `refused`, and not counted as lost. */
  readonly isPost?: true
  /** Called before they are written. */
  onWrite?(): void
  /** They are safe: committed, spooled, or lost and counted. */
  onSettled(outcome: 'stored' | 'spooled' | 'lost' | 'refused'): void
}

/** Collects incoming drafts, so that one transaction writes many events. */
export type CommitQueue = ReturnType<typeof createCommitQueue>

/** Passes groups to `write` in order of arrival: 40 ms after the first of them, 2 ms after a posted event, or at 200 events. */
export function createCommitQueue(write: (groups: readonly CommitGroup[]) => void) {
  let groups: CommitGroup[] = []
  let events = 0
  let timer: NodeJS.Timeout | null = null
  let isSoon = false

  function flush(): boolean {
    if (timer !== null) clearTimeout(timer)
    timer = null
    isSoon = false
    if (groups.length === 0) return false
    const taken = groups
    groups = []
    events = 0
    write(taken)
    return true
  }

  return {
    add(group: CommitGroup) {
      groups.push(group)
      events += group.drafts.length
      if (events >= MAX_EVENTS) flush()
      else if (group.isPost && !isSoon) {
        if (timer !== null) clearTimeout(timer)
        isSoon = true
        timer = setTimeout(flush, POST_DELAY_MS)
      } else timer ??= setTimeout(flush, DELAY_MS)
    },
    /** Writes queued drafts at once; returns whether there were any. */
    flush,
    isEmpty: () => groups.length === 0,
  }
}
