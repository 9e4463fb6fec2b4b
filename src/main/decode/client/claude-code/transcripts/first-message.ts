import type { JsonObject } from '../../../../../shared/event.ts'
import type { AnyDraft } from '../../../draft.ts'
import { filledString } from '../../../../../shared/json-fields.ts'

/** Lines before the first message whose uuids are remembered: snapshots, hooks, progress. */
const MAX_LINES_BEFORE = 10_000

/**
 * Marks the first message of a session's file with its links to other sessions: the line of another file that it
 * follows (`continues`), and whether its client gave resumed conversations new ids (`copied_by`, clients 1.x; since 2.0
 * only a fork gets a new id).
 */
export class FirstMessage {
  #before: Set<string> | null = new Set()
  #mark: { readonly [name: string]: unknown } | null = null

  /** Takes each line of the file with its drafts; returns the drafts, the first one of the first message marked. */
  marked(line: JsonObject, drafts: AnyDraft[]): AnyDraft[] {
    this.#look(line)
    const at = drafts.findIndex(({ only_as_sighting, sighting_of }) => !only_as_sighting && sighting_of === undefined)
    const first = drafts[at]
    if (this.#mark === null || first === undefined) return drafts
    const draft = { ...first, sighting: { ...first.sighting, ...this.#mark } }
    this.#mark = null
    return drafts.with(at, draft)
  }

  #look(line: JsonObject): void {
    if (this.#before === null) return
    const uuid = filledString(line['uuid'])
    if (!isMessage(line)) {
      if (uuid !== null && this.#before.size < MAX_LINES_BEFORE) this.#before.add(uuid)
      return
    }
    const parent = filledString(line['parentUuid']) ?? filledString(line['logicalParentUuid'])
    const isCompacted = line['subtype'] === 'compact_boundary' || line['isCompactSummary'] === true
    const continues =
      parent === null || this.#before.has(parent)
        ? {}
        : { continues: { line: parent, by: isCompacted ? 'compaction' : 'resume' } }
    const copiedBy = filledString(line['version'])?.startsWith('1.') ? { copied_by: 'resume' } : {}
    this.#before = null
    this.#mark = { ...continues, ...copiedBy }
    if (Object.keys(this.#mark).length === 0) this.#mark = null
  }
}

const isMessage = (line: JsonObject): boolean =>
  line['isSidechain'] !== true &&
  (line['type'] === 'user' || line['type'] === 'assistant' || line['subtype'] === 'compact_boundary')
