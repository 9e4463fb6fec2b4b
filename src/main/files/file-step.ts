import type { ChangePart } from '../../shared/file-change.ts'

/** What one call did to a file, or showed of it, as far as its text says. */
export type FileStep =
  /** Written whole. */
  | { readonly kind: 'written'; readonly path: string; readonly text: string; readonly isByCommand: boolean }
  | { readonly kind: 'appended'; readonly path: string; readonly text: string }
  /** `told`: the same change in the client's words, which shows tabs as spaces. */
  | {
      readonly kind: 'changed'
      readonly path: string
      readonly parts: readonly ChangePart[]
      readonly told: readonly ChangePart[]
      readonly isNew: boolean
    }
  /** Shown, beginning with the line of that number. `isWhole`: those are all of its lines. */
  | {
      readonly kind: 'shown'
      readonly path: string
      readonly from: number
      readonly lines: readonly string[]
      readonly isWhole: boolean
    }
  /** The path, or the folder with all below it, is gone. */
  | { readonly kind: 'deleted'; readonly path: string }
  /** `isCopy`: what was there stays. */
  | { readonly kind: 'moved'; readonly path: string; readonly to: string; readonly isCopy: boolean }
  /** It may have been written; null: any file. */
  | { readonly kind: 'doubted'; readonly path: string | null }

/** Where a line comes from: `proven` by a call's own text, `derived` from a command, `seen` when it was there before. */
export type LineOrigin = 'proven' | 'derived' | 'seen' | 'unknown'

/** A line of a file. Its text is null where the record does not have it: a hole. */
export interface FileLine {
  readonly text: string | null
  readonly origin: LineOrigin
  /** The event that wrote or first showed it. */
  readonly event: string | null
}
