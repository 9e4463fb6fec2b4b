import { remember } from './remembered.ts'
import type { SaidByUser } from './prompts.ts'

/**
 * A user's message has two lines: an item, as sent to the model, and an event. Newer files name the author in the item;
 * in older ones only the event distinguishes a prompt from the client's additions.
 */
export class PromptLines {
  /** Items that may be prompts, by text. */
  readonly #items = new Map<string, SaidByUser>()
  /** Prompts that were reported, by turn and text, and how often. */
  readonly #reported = new Map<string, number>()

  /** Takes an item; returns the user's own text if that is certain. */
  item(turn: string, said: SaidByUser, isSure: boolean): SaidByUser | null {
    if (!isSure) {
      remember(this.#items, said.text.trim(), said)
      return null
    }
    const key = keyOf(turn, said)
    remember(this.#reported, key, (this.#reported.get(key) ?? 0) + 1)
    return said
  }

  /** Takes an event; returns the user's own text unless its item was reported. */
  event(turn: string, said: SaidByUser): SaidByUser | null {
    const key = keyOf(turn, said)
    const times = this.#reported.get(key) ?? 0
    if (times > 0) {
      this.#reported.set(key, times - 1)
      return null
    }
    const item = this.#items.get(said.text.trim())
    this.#items.delete(said.text.trim())
    if (item === undefined) return said
    return item.media.length > 0 ? item : { ...item, media: said.media }
  }
}

const keyOf = (turn: string, { text }: SaidByUser): string => `${turn}\0${text.trim()}`
