import type { JsonObject } from '../../../../../shared/event.ts'
import type { AnyDraft } from '../../../draft.ts'
import { clientOfLine } from '../client.ts'

/**
 * Names the client that wrote a file's lines: with the first draft, and again when another version continues the file.
 */
export class LineWriter {
  #named = ''

  /** Returns the drafts of a line, the first of them with the client in its sighting if it has not been named yet. */
  name(drafts: AnyDraft[], line: JsonObject): AnyDraft[] {
    const at = drafts.findIndex((draft) => !draft.only_as_sighting)
    const draft = drafts[at]
    const writer = clientOfLine(line)
    if (draft === undefined || writer === null) return drafts
    // The copied lines of a fork do not name the fork's own client.
    const name = JSON.stringify([
      writer.client,
      writer.client_version,
      draft.session_id,
      line['forkedFrom'] !== undefined,
    ])
    if (name === this.#named) return drafts
    this.#named = name
    return drafts.with(at, { ...draft, sighting: { ...draft.sighting, ...writer } })
  }
}
