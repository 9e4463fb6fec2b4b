import type { JsonObject } from '../../../../../shared/event.ts'
import type { AnyDraft } from '../../../draft.ts'
import { FirstMessage } from './first-message.ts'
import { Rewinds } from './rewinds.ts'
import { SessionBeginning } from './session-beginning.ts'

/** Adds to the drafts of a session's own file what the order of its lines shows. */
export class SessionMarks {
  readonly #beginning = new SessionBeginning()
  readonly #firstMessage = new FirstMessage()
  readonly #rewinds = new Rewinds()

  /** Takes each line of the file with its drafts, and returns the marked drafts. */
  marked(line: JsonObject, drafts: AnyDraft[]): AnyDraft[] {
    return this.#rewinds.marked(line, this.#firstMessage.marked(line, this.#beginning.marked(line, drafts)))
  }
}
