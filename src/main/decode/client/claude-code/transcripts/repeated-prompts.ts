import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { digestOf } from './line-name.ts'

/** Prompts, and lines, of a file that are remembered. */
const MAX_KNOWN = 50_000
const LINE = naturalKey.line('')

/**
 * Finds prompts that a file repeats under new uuids, as a history that was written again: nobody says the same twice in
 * one millisecond. The repetition gets the keys of the first. A uuid that another line of the file has already does not
 * name a line: what says something else under it is something else.
 */
export class RepeatedPrompts {
  readonly #known = new Map<string, readonly string[]>()
  readonly #lines = new Map<string, string>()

  /** Returns the drafts of a line that has a time of its own. */
  joined(drafts: readonly AnyDraft[]): AnyDraft[] {
    return drafts.map((draft) => {
      const own = this.#withOwnName(draft)
      if (own.kind !== 'user_prompt' || own.keys.length === 0) return own
      const said = [own.session_id, own.agent_id, own.ts_wall, own.payload.text].join('\0')
      const known = this.#known.get(said)
      if (known === undefined && this.#known.size < MAX_KNOWN) this.#known.set(said, own.keys)
      if (known === undefined || known.some((key) => own.keys.includes(key))) return own
      const { uuid: _, ...rest } = own
      return { ...rest, keys: known }
    })
  }

  #withOwnName(draft: AnyDraft): AnyDraft {
    if (draft.kind !== 'user_prompt' && draft.kind !== 'assistant_text') return draft
    const line = draft.keys.find((key) => key.startsWith(LINE))
    if (line === undefined) return draft
    const said = digestOf(draft.payload.text ?? '').slice(0, 16)
    const known = this.#lines.get(`${draft.kind} ${line}`)
    if (known === undefined && this.#lines.size < MAX_KNOWN) this.#lines.set(`${draft.kind} ${line}`, said)
    if (known === undefined || known === said) return draft
    const { uuid: _, ...rest } = draft
    return { ...rest, keys: draft.keys.map((key) => (key === line ? `${line}#${said}` : key)) }
  }
}
