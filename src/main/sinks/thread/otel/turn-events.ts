import type { AnyEvent, AspyEvent, EventKind } from '../../../../shared/event.ts'

type OfKind<K extends EventKind> = Extract<AnyEvent, { kind: K }>

/** The events of one turn by time, indexed for building its spans. */
export class TurnEvents {
  readonly all: readonly AnyEvent[]
  /** Usage by message id. */
  readonly usages: ReadonlyMap<string | null, AspyEvent<'api_usage'>>
  /** Tool results by call id. */
  readonly results: ReadonlyMap<string, AspyEvent<'tool_result'>>
  readonly #texts: ReadonlyMap<string | null, readonly AspyEvent<'assistant_text'>[]>

  constructor(events: readonly AnyEvent[]) {
    this.all = events
    this.usages = new Map(this.of('api_usage').map((event) => [event.payload.message_id, event]))
    this.results = new Map(this.of('tool_result').map((event) => [event.payload.call_id, event]))
    this.#texts = Map.groupBy(this.of('assistant_text'), (event) => event.payload.message_id)
  }

  of<K extends EventKind>(kind: K): OfKind<K>[] {
    return this.all.filter((event): event is OfKind<K> => event.kind === kind)
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
