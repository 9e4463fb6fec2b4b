import { remember } from './remembered.ts'
import { filledString } from '../../../../../shared/json-fields.ts'
import type { JsonObject } from '../../../../../shared/event.ts'

/** What `turn_context` says of the turns of a thread: the model and the folder of what follows. */
export class TurnStates {
  readonly #models = new Map<string, string>()
  #lastModel: string | null = null
  #project: string | null = null
  #current: string | null = null

  /** The turn that lines without a turn belong to. */
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
