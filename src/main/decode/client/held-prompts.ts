import type { AnyDraft } from '../draft.ts'
import type { TranscriptContext } from '../transcript-decoder.ts'

/** A person's prompt, and an agent's. */
const PROMPTS: ReadonlySet<AnyDraft['kind']> = new Set(['user_prompt', 'agent_started'])

/**
 * Holds prompts back until a line follows: their request, which may name no session, then has been recorded, and they
 * are found in its session.
 */
export class HeldPrompts {
  readonly #isLeft: () => boolean
  #held: readonly AnyDraft[] = []

  constructor({ isLeft }: Pick<TranscriptContext, 'isLeft'>) {
    this.#isLeft = isLeft ?? (() => true)
  }

  /** Returns the drafts of a line, after the prompts that waited for it. */
  take(drafts: readonly AnyDraft[]): readonly AnyDraft[] {
    if (drafts.length === 0) return []
    const all = [...this.#held, ...drafts]
    const last = all.findLastIndex(({ kind }) => !PROMPTS.has(kind))
    this.#held = all.slice(last + 1)
    return all.slice(0, last + 1)
  }

  /** Returns the prompts that no answer will follow: nobody has written to the file for a while. */
  end(): readonly AnyDraft[] {
    if (!this.#isLeft()) return []
    const held = this.#held
    this.#held = []
    return held
  }
}
