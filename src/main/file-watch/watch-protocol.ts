import type { SeenFile } from '../../shared/seen-file.ts'

/** Messages between the main thread and the one that looks at work trees. */

/** A hook around a command: before it runs, or after it. */
export interface Look {
  readonly type: 'look'
  readonly id: number
  readonly at: 'before' | 'after'
  /** The call of the command. */
  readonly call: string
  readonly folder: string
  /** When the client's wait ends, as `Date.now()` tells. */
  readonly until: number
}

/** `edited`: an editing tool finished meanwhile, so a change may be its own. */
export type ToWatch = Look | { readonly type: 'edited' } | { readonly type: 'stop' }

/** What a command changed in a work tree. */
export interface Seen {
  readonly root: string
  /** When the command began, as `Date.now()` tells. */
  readonly since: number
  readonly files: readonly SeenFile[]
  /** Nothing else that is known of ran in the tree, and it was short. */
  readonly is_sure: boolean
}

/** The answer to a look; null: nothing can be said. */
export interface Looked {
  readonly id: number
  readonly seen: Seen | null
}
