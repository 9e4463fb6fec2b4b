import type { Try } from './candidate.ts'
import type { AdviceCall } from '../store/read/advice-calls.ts'

/** Returns what a session paid for a server's definitions, without the calls whose ids are given. */
export type ServerCost = (session: string, server: string, without: ReadonlySet<number>) => number

const NONE: ReadonlySet<number> = new Set()

/**
 * Hands out the money of the record: what one suggestion was given, no other gets. A call whose tokens were given to a
 * suggestion counts for none of what it carried.
 */
export class Claims {
  readonly #calls: ReadonlyMap<number, AdviceCall>
  readonly #serverCost: ServerCost
  readonly #taken = new Map<number, 'miss' | 'call'>()
  readonly #takenIn = new Map<string, Set<number>>()
  readonly #servers = new Set<string>()

  constructor(calls: Iterable<AdviceCall>, serverCost: ServerCost) {
    this.#calls = new Map(Array.from(calls, (call) => [call.id, call]))
    this.#serverCost = serverCost
  }

  /** Gives a try its money. Returns the part that was left. */
  take({ claim, usd }: Try): number {
    switch (claim.of) {
      case 'nothing':
        return 0
      case 'miss':
        return this.#takeCall(claim.call, 'miss')
      case 'calls':
        return Math.min(
          usd,
          claim.calls.reduce((sum, call) => sum + this.#takeCall(call, 'call'), 0),
        )
      case 'outputs':
        return claim.outputs.reduce((sum, one) => sum + one.carriedUsd(this.#takenIn.get(one.session_id) ?? NONE), 0)
      case 'servers':
        return claim.servers.reduce((sum, { server, usd }) => sum + this.#takeServer(claim.session_id, server, usd), 0)
    }
  }

  /** Of a call whose miss is taken, the rest can be taken; of one that is taken as a whole, nothing. */
  #takeCall(id: number, part: 'miss' | 'call'): number {
    const call = this.#calls.get(id)
    const before = this.#taken.get(id)
    if (call === undefined || before === 'call' || before === part) return 0
    this.#taken.set(id, part)
    const inSession = this.#takenIn.get(call.session_id) ?? new Set()
    this.#takenIn.set(call.session_id, inSession.add(id))
    if (part === 'miss') return call.waste_usd
    return before === 'miss' ? Math.max(0, call.cost_usd - call.waste_usd) : call.cost_usd
  }

  #takeServer(session: string, server: string, usd: number): number {
    const key = JSON.stringify([session, server])
    if (this.#servers.has(key)) return 0
    this.#servers.add(key)
    const taken = this.#takenIn.get(session)
    return taken === undefined ? usd : this.#serverCost(session, server, taken)
  }
}
