import type { AnyEvent } from '../../shared/event.ts'
import { RecentlyUsed } from '../base/recently-used.ts'
import { UNKNOWN_CLIENT, type ClientFact } from '../decode/client/client-fact.ts'
import { clientOfEvent } from '../decode/client/client-of-event.ts'

const SESSIONS_KEPT = 1000

/** Knows the client of recent sessions from the events of this run, for counts by client. */
export class ClientOfSession {
  readonly #facts = new RecentlyUsed<string, ClientFact>(SESSIONS_KEPT)

  /** Returns the client of an event's session, if it is known yet. Call it with every event, in order. */
  of(event: AnyEvent): string {
    const known = this.#facts.get(event.session_id)
    const fact = clientOfEvent(event)
    const better = fact !== null && fact.certainty >= (known?.certainty ?? 0) ? fact : known
    if (better === undefined) return UNKNOWN_CLIENT
    if (better !== known) this.#facts.set(event.session_id, better)
    return better.client ?? UNKNOWN_CLIENT
  }
}
