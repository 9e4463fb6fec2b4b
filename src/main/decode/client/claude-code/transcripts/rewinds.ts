import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString } from '../../../../../shared/json-fields.ts'
import type { AnyDraft, EventDraft } from '../../../draft.ts'

/** Lines whose prompt is remembered; a prompt that follows one further back counts as the next one. */
const MAX_LINES = 100_000

/** A prompt in the tree of a conversation: a rewind begins another branch. */
interface Prompt {
  readonly before: Prompt | null
  readonly depth: number
  readonly draft: EventDraft<'user_prompt'>
  isAnswered: boolean
}

/**
 * Notes which turns a rewind left behind: the next prompt then follows an earlier line instead of the latest. The client
 * does not write more about it.
 */
export class Rewinds {
  /** The last prompt before each line. */
  readonly #promptOf = new Map<string, Prompt | null>()
  #latest: Prompt | null = null

  /** Takes a line of the conversation with its drafts; returns them after marks on the prompts that it left behind. */
  marked(line: JsonObject, drafts: AnyDraft[]): AnyDraft[] {
    const uuid = filledString(line['uuid'])
    const draft = line['type'] === 'user' ? drafts.find(isPrompt) : undefined
    if (uuid === null || line['isSidechain'] === true || this.#promptOf.has(uuid)) return drafts
    const before = this.#before(line, draft !== undefined)
    if (line['type'] === 'assistant' && before !== null) before.isAnswered = true
    if (draft === undefined) {
      this.#note(uuid, before)
      return drafts
    }
    const left = leftBehind(this.#latest, before)
    this.#latest = { before, depth: (before?.depth ?? 0) + 1, draft, isAnswered: false }
    this.#note(uuid, this.#latest)
    // A command without an answer may be followed by a line that does not know of it.
    if (!left.some(({ isAnswered }) => isAnswered)) return drafts
    return [...left.map((prompt) => markedAsLeft(prompt.draft, draft.ts_wall)), ...drafts]
  }

  /** Only a prompt may begin the conversation again; other lines without a parent continue it. */
  #before(line: JsonObject, isPrompt: boolean): Prompt | null {
    const parent = filledString(line['parentUuid'])
    if (parent !== null) {
      const known = this.#promptOf.get(parent)
      return known === undefined ? this.#latest : known
    }
    const isSame = filledString(line['sessionId']) === this.#latest?.draft.session_id
    return isPrompt && isSame && !/^[01]\./.test(filledString(line['version']) ?? '0.') ? null : this.#latest
  }

  #note(uuid: string, prompt: Prompt | null): void {
    this.#promptOf.set(uuid, prompt)
    const eldest = this.#promptOf.keys().next()
    if (this.#promptOf.size > MAX_LINES && !eldest.done) this.#promptOf.delete(eldest.value)
  }
}

/** Returns the prompts from a branch's end back to where another one left it, oldest first. */
function leftBehind(end: Prompt | null, other: Prompt | null): readonly Prompt[] {
  const left: Prompt[] = []
  let [one, two] = [end, other]
  while (one !== two) {
    if (one !== null && one.depth >= (two?.depth ?? 0)) {
      left.push(one)
      one = one.before
    } else two = two?.before ?? null
  }
  return left.toReversed()
}

const isPrompt = (draft: AnyDraft): draft is EventDraft<'user_prompt'> =>
  draft.kind === 'user_prompt' && !draft.only_as_sighting

function markedAsLeft(draft: EventDraft<'user_prompt'>, at: string): EventDraft<'user_prompt'> {
  const { uuid: _, text_identity: __, ...rest } = draft
  return { ...rest, sighting: { left_behind: at }, only_as_sighting: true }
}
