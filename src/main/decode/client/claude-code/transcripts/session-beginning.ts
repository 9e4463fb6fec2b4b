import type { JsonObject } from '../../../../../shared/event.ts'
import { isoTime } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { timeOf } from '../../../line-time.ts'

/** A session begins with its first dated line, which may not become a draft, so the first draft carries its time. */
export class SessionBeginning {
  /** The time of the first dated line, until a draft has carried it. */
  #beganAt: string | null = null
  #hasBegun = false

  /** Takes each line of the file with its drafts; returns the drafts, the first one with `session_began` if it is later. */
  marked(line: JsonObject, drafts: AnyDraft[]): AnyDraft[] {
    if (this.#hasBegun || line['forkedFrom'] !== undefined) return drafts
    const time = timeOf(line)
    if (time !== null) this.#beganAt ??= isoTime(time)
    const [first, ...others] = drafts
    if (first === undefined || first.only_as_sighting) return drafts
    this.#hasBegun = true
    if (this.#beganAt === null || this.#beganAt >= first.ts_wall) return drafts
    return [{ ...first, sighting: { ...first.sighting, session_began: this.#beganAt } }, ...others]
  }
}
