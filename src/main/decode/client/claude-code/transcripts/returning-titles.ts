import type { AnyDraft } from '../../../draft.ts'

/** Titles that are remembered per file; a client gives a session a few. */
const MAX_TITLES = 1000

/**
 * Distinguishes a title that returns from one that is only repeated. A client writes the same title many times, and all
 * of them are one fact. A title that returns after another is a new fact: without its own key, the title in between
 * would remain.
 */
export class ReturningTitles {
  readonly #latest = new Map<string, string>()
  /** Number of times that each title was replaced. */
  readonly #replaced = new Map<string, number>()

  /** Returns the drafts of a line; a title that returns has its own key. */
  marked(drafts: AnyDraft[]): AnyDraft[] {
    return drafts.map((draft) => {
      const key = titleKeyOf(draft)
      if (key === null) return draft
      const returns = this.#returns(`${draft.session_id}:${nameOf(draft)}`, key)
      return returns === 0 ? draft : { ...draft, keys: [`${key}:${returns}`] }
    })
  }

  #returns(slot: string, key: string): number {
    const latest = this.#latest.get(slot)
    if (latest !== undefined && latest !== key) this.#replaced.set(latest, (this.#replaced.get(latest) ?? 0) + 1)
    if (this.#latest.has(slot) || this.#latest.size < MAX_TITLES) this.#latest.set(slot, key)
    if (this.#replaced.size > MAX_TITLES) this.#replaced.clear()
    return this.#replaced.get(key) ?? 0
  }
}

const nameOf = (draft: AnyDraft): string => (draft.kind === 'state_change' ? draft.payload.name : '')

function titleKeyOf(draft: AnyDraft): string | null {
  const name = nameOf(draft)
  return name === 'title' || name === 'custom_title' ? (draft.keys[0] ?? null) : null
}
