import type { AnyEvent, AspyEvent, EventKind } from '../../../../shared/event.ts'

type OfKind<K extends EventKind> = Extract<AnyEvent, { kind: K }>

/** The events of one turn by time, indexed for building its spans. */
export class TurnEvents {
  readonly all: readonly AnyEvent[]
  /** Tool results by call id. */
  readonly results: ReadonlyMap<string, AspyEvent<'tool_result'>>
  /** By message id, since a relay may give several messages the same id, or none. */
  readonly #usages: ReadonlyMap<string | null, readonly AspyEvent<'api_usage'>[]>
  readonly #texts: ReadonlyMap<string | null, readonly AspyEvent<'assistant_text'>[]>

  constructor(events: readonly AnyEvent[]) {
    this.all = events
    this.#usages = Map.groupBy(this.of('api_usage'), (event) => event.payload.message_id)
    this.results = new Map(this.of('tool_result').map((event) => [event.payload.call_id, event]))
    this.#texts = Map.groupBy(this.of('assistant_text'), (event) => event.payload.message_id)
  }

  of<K extends EventKind>(kind: K): OfKind<K>[] {
    return this.all.filter((event): event is OfKind<K> => event.kind === kind)
  }

  /** Returns the usage of a response: the usage of its message that ended with it, or else the first. */
  usageOf(response: AspyEvent<'model_response'>): AspyEvent<'api_usage'> | undefined {
    const { message_id: id } = response.payload
    const usages = this.#usages.get(id) ?? []
    return usages.find(({ ts_wall }) => ts_wall === response.ts_wall) ?? (id === null ? undefined : usages[0])
  }

  /** Returns the text of a message; null if it has none. */
  textOf(messageId: string | null): string | null {
    const texts = messageId === null ? undefined : this.#texts.get(messageId)
    return texts?.map(({ payload }) => payload.text).join('\n') ?? null
  }
}

/** Returns an event's time in milliseconds since 1970. */
export const timeOf = (event: AnyEvent): number => Date.parse(event.ts_wall)

/** Returns the time span of events and their highest log position, as a span's fields. */
export const extentOf = (events: readonly AnyEvent[]): { start: number; end: number; lastId: number } => ({
  start: Math.min(...events.map(timeOf)),
  end: Math.max(...events.map(timeOf)),
  lastId: Math.max(...events.map(({ id }) => id)),
})
