import type { JsonObject } from '../../../../../shared/event.ts'
import { blockParents, type DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { filledString } from '../../../../../shared/json-fields.ts'
import type { HashText } from '../../../media.ts'
import { uniqueId } from '../../../unique-id.ts'
import { itemDrafts } from '../../../wire/openai-responses/item-drafts.ts'
import { codexKey } from '../identity.ts'

interface HeldItem {
  readonly base: DraftBase
  readonly item: JsonObject
  readonly lineKey: string | null
}

interface OpenResponse {
  readonly items: HeldItem[]
  /** The parent of the first item. */
  readonly tail: readonly string[]
}

/** A complete answer. */
export interface ClosedResponse {
  readonly drafts: readonly AnyDraft[]
  /** Keys of its last item, best first, then of the item that it answers. They are the parents of its usage. */
  readonly lastKeys: readonly string[]
  readonly webSearches: number
}

/** Key of items that do not name their turn. */
export const UNNAMED = ''

/** An answer is not longer than this: items of a damaged file are not held forever. */
const MAX_ITEMS = 500

/**
 * Holds the items of each answer until the line that names their response, since that line comes after them. Two
 * clients may write to one file, so each turn has its own answer.
 */
export class OpenResponses {
  readonly #hash: HashText
  readonly #open = new Map<string, OpenResponse>()

  constructor(hash: HashText) {
    this.#hash = hash
  }

  /** Takes an item of the model. `lineKey`: key of its line, for an item without an id. */
  take(turn: string, held: HeldItem, tail: readonly string[]): readonly AnyDraft[] {
    const open = this.#open.get(turn) ?? { items: [], tail }
    open.items.push(held)
    this.#open.set(turn, open)
    return open.items.length < MAX_ITEMS ? [] : this.close(turn, null).drafts
  }

  /** Ends the answer of a turn. `responseId` is null if nothing names it. */
  close(turn: string, responseId: string | null): ClosedResponse {
    const open = this.#take(turn)
    if (open === undefined) return { drafts: [], lastKeys: [], webSearches: 0 }
    let parents = open.tail
    const drafts = open.items.flatMap(({ base, item, lineKey }, index) => {
      const hasOwnKey = codexKey.items(filledString(item['id'])).length > 0
      const keys = hasOwnKey || lineKey === null ? [] : [lineKey]
      const place = { responseId, index, keys, parents, seenInHistory: false }
      const made = itemDrafts(base, item, place, this.#hash).map(itemKeyFirst)
      const last = made.at(-1)?.keys[0]
      if (last !== undefined && responseId === null) parents = [last, ...open.tail]
      return made
    })
    const session = open.items[0]?.base.session_id ?? ''
    const lastKeys =
      responseId === null ? parents : blockParents(uniqueId(responseId, session), open.items.length, open.tail)
    const webSearches = open.items.filter(({ item }) => item['type'] === 'web_search_call').length
    return { drafts, lastKeys, webSearches }
  }

  /** Removes the open answer of a turn, and items that name no turn. */
  #take(turn: string): OpenResponse | undefined {
    const [own, unnamed] = [this.#open.get(turn), this.#open.get(UNNAMED)]
    this.#open.delete(turn)
    this.#open.delete(UNNAMED)
    if (own === undefined || unnamed === undefined || turn === UNNAMED) return own ?? unnamed
    return { items: [...unnamed.items, ...own.items], tail: unnamed.tail }
  }

  /** Ends all answers: nothing that follows belongs to them. */
  closeAll(): readonly AnyDraft[] {
    return [...this.#open.keys()].flatMap((turn) => this.close(turn, null).drafts)
  }

  /** Ends the answer that has a call, since its result comes now. */
  closeWithCall(callId: string): readonly AnyDraft[] {
    for (const [turn, { items }] of this.#open)
      if (items.some(({ item }) => item['call_id'] === callId)) return this.close(turn, null).drafts
    return []
  }
}

/**
 * The client leaves out items that it does not know, so a position may name another item than on the wire: an item's own id
 * is the better key.
 */
function itemKeyFirst<D extends AnyDraft>(draft: D): D {
  const own = draft.keys.filter((key) => key.startsWith(ITEM))
  return own.length === 0 ? draft : { ...draft, keys: [...own, ...draft.keys.filter((key) => !key.startsWith(ITEM))] }
}

const ITEM = 'item:'
