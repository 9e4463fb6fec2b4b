import type { AnyDraft } from '../../../draft.ts'
import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString, stringOf } from '../../../../../shared/json-fields.ts'
import { SILENT_TYPES } from './other-lines.ts'

/** Lines without a time that are held at the beginning of a file. */
const MAX_HELD = 10_000
/** Line types that describe a session but do not create one. */
const ABOUT_SESSIONS: ReadonlySet<string> = new Set(['summary', 'ai-title', 'custom-title', 'tag', 'pr-link'])

/** A line as text, and as JSON if it is valid. */
export interface HeldLine {
  readonly line: JsonObject | null
  readonly text: string
}

/** Marks a draft as dated by its file, as no line of it has a time. */
export const withFileTime = (draft: AnyDraft): AnyDraft => ({
  ...draft,
  sighting: { ...draft.sighting, time_basis: 'file' },
})

/** Holds the lines before the first one with a time. They take that line's time and session. */
export class UndatedLines {
  #held: HeldLine[] | null = []

  /** False once a line with a time has come. */
  get isWaiting(): boolean {
    return this.#held !== null
  }

  get isFull(): boolean {
    return (this.#held?.length ?? 0) >= MAX_HELD
  }

  /** True if all lines describe sessions and belong to none: summaries, titles, bookkeeping. */
  get isNobodys(): boolean {
    return (this.#held ?? []).every(({ line }) => {
      const type = line === null ? null : stringOf(line['type'])
      return type !== null && (ABOUT_SESSIONS.has(type) || SILENT_TYPES.has(type))
    })
  }

  /** The session that one of the lines names. */
  get session(): string | null {
    for (const { line } of this.#held ?? []) {
      const session = line === null ? null : filledString(line['sessionId'])
      if (session !== null) return session
    }
    return null
  }

  hold(held: HeldLine): void {
    this.#held?.push(held)
  }

  /** Returns the held lines and stops holding. */
  release(): readonly HeldLine[] {
    const held = this.#held ?? []
    this.#held = null
    return held
  }
}
