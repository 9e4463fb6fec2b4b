import type { AnyDraft } from '../../../draft.ts'

/** Prompts of a file that are remembered. */
const MAX_PROMPTS = 10_000

/**
 * Finds prompts that a file repeats under new uuids, as a history that was written again: nobody says the same twice in
 * one millisecond. The repetition gets the keys of the first.
 */
export class RepeatedPrompts {
  readonly #known = new Map<string, readonly string[]>()

  /** Returns the drafts of a line that has a time of its own. */
  joined(drafts: readonly AnyDraft[]): AnyDraft[] {
    return drafts.map((draft) => {
      if (draft.kind !== 'user_prompt' || draft.keys.length === 0) return draft
      const said = [draft.session_id, draft.agent_id, draft.ts_wall, draft.payload.text].join('\0')
      const known = this.#known.get(said)
      if (known === undefined && this.#known.size < MAX_PROMPTS) this.#known.set(said, draft.keys)
      if (known === undefined || known.some((key) => draft.keys.includes(key))) return draft
      const { uuid: _, ...rest } = draft
      return { ...rest, keys: known }
    })
  }
}
