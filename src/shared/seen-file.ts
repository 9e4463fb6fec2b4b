export const WHY_NOT = [
  'gone',
  'too_large',
  'too_many',
  'not_text',
  'not_readable',
  'private',
  'ignored',
  'as_before',
  'no_other',
] as const

/**
 * Why a file that was seen has no text: it is gone, too large, behind too many others, no text, not readable, one of secrets
 * (`.env`), ignored by now, as it was when it was seen last, or the path is the work tree, of which no other file changed.
 */
export type WhyNot = (typeof WHY_NOT)[number]

/** A file as it was on the disk before or after a command that changed it. */
export interface SeenFile {
  readonly path: string
  readonly at: 'before' | 'after'
  /** Of its bytes; null: not read, or gone. */
  readonly hash: string | null
  readonly text: string | null
  readonly why_not: WhyNot | null
  /** The only other file of the tree that had these bytes before: this one is a copy, or that one was moved here. */
  readonly like?: string
}

/** Payload of `file_seen`: what a look at the disk found of a command's work. Only with `[files] watch_changes`. */
export interface FileSeen extends SeenFile {
  readonly call_id: string
  /** True if nothing else that Aspy knows of was at work in the tree. */
  readonly is_sure: boolean
  /** True if there was a text, but the settings do not keep what tools read. */
  readonly left_out?: true
}
