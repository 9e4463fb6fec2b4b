/** Summaries whose leaf has not been seen yet; a client lists at most a few hundred. */
const MAX_WAITING = 1000

/** A title for the session that contains a summary's leaf. */
export interface FoundTitle {
  readonly session: string
  readonly title: string
}

/**
 * Finds the session of a `summary` line (clients before 2.1). The line names the last line of the summarized
 * conversation, its leaf. Most summaries at the top of a file name a leaf of another session, so they are not titles of
 * this one.
 */
export class SummaryTitles {
  readonly #waiting = new Map<string, string>()

  /** Takes a summary; `session` is that of its leaf, if that line came earlier. */
  take(leaf: string, title: string, session: string | null): FoundTitle | null {
    if (session !== null) return { session, title }
    if (this.#waiting.size < MAX_WAITING) this.#waiting.set(leaf, title)
    return null
  }

  /** Takes a line of a conversation, which may be the leaf of an earlier summary. */
  meet(uuid: string | null, session: string): FoundTitle | null {
    const title = uuid === null ? undefined : this.#waiting.get(uuid)
    if (uuid === null || title === undefined) return null
    this.#waiting.delete(uuid)
    return { session, title }
  }
}
