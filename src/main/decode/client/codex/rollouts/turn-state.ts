import { remember } from './remembered.ts'
import { filledString } from '../../../../../shared/json-fields.ts'
import type { JsonObject } from '../../../../../shared/event.ts'

/** Facts in `turn_context` about a thread's turns: the model and the folder of the following lines. */
export class TurnStates {
  readonly #models = new Map<string, string>()
  #lastModel: string | null = null
  #project: string | null = null
  #current: string | null = null

  /** The turn that lines belong to if they name none. */
  get current(): string | null {
    return this.#current
  }

  get project(): string | null {
    return this.#project
  }

  begin(turn: string | null): void {
    this.#current = turn ?? this.#current
  }

  /** Takes `turn_context` or the settings of a thread. */
  context(payload: JsonObject, turn: string | null): void {
    const model = filledString(payload['model'])
    if (model !== null && turn !== null) remember(this.#models, turn, model)
    this.#lastModel = model ?? this.#lastModel
    this.#project = filledString(payload['cwd']) ?? this.#project
    this.begin(turn)
  }

  modelOf(turn: string | null): string {
    return (turn === null ? undefined : this.#models.get(turn)) ?? this.#lastModel ?? 'unknown'
  }
}
