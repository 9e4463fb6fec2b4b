import { headerPairs } from '../proxy/forwarded-headers.ts'
import type { Tap, TapExchange, TapRequest } from '../proxy/tap.ts'
import type { Passed } from './protocol.ts'

/** Headers in which clients name their session, and what our own name of it begins with. */
const SESSION_HEADERS: ReadonlyMap<string, string> = new Map([
  ['x-claude-code-session-id', ''],
  ['session-id', 'codex-'],
  ['session_id', 'codex-'],
])
const MAX_SESSIONS = 1000
/** Session ids are short. */
const MAX_ID_CHARS = 200

/** Counts what passes unrecorded. Takes the place of the tap, and reads heads only. */
export class PassedCount implements Pick<Tap, 'open'> {
  readonly #requests = new Map<string, number>()
  #tunnels = 0
  readonly #hooksOf = new Map<string, number>()
  #from: number | null = null
  #to: number | null = null

  open({ method, headers, socket }: TapRequest): TapExchange {
    // On a WebSocket, each message of the client is a request.
    if (method === 'POST' || socket !== undefined) {
      countIn(this.#requests, sessionIn(headers))
      this.#mark()
    }
    return UNSEEN
  }

  /** Counts a tunnel to an API. */
  tunnel(): void {
    this.#tunnels += 1
    this.#mark()
  }

  /** Counts a hook that was dropped. */
  hook(session: string): void {
    countIn(this.#hooksOf, session)
    this.#mark()
  }

  passed(): Passed {
    const requests = Object.fromEntries(this.#requests)
    const hooksOf = Object.fromEntries(this.#hooksOf)
    const hooks = this.#hooksOf.values().reduce((sum, count) => sum + count, 0)
    return { requests, tunnels: this.#tunnels, hooks, hooksOf, from: this.#from, to: this.#to }
  }

  #mark(): void {
    this.#to = Date.now()
    this.#from ??= this.#to
  }
}

/** Counts one more of a session; of too many sessions, the later ones together. */
function countIn(counts: Map<string, number>, named: string): void {
  const session = counts.has(named) || counts.size < MAX_SESSIONS ? named : ''
  counts.set(session, (counts.get(session) ?? 0) + 1)
}

function sessionIn(headers: readonly string[]): string {
  for (const [name, value] of headerPairs(headers)) {
    const prefix = SESSION_HEADERS.get(name.toLowerCase())
    if (prefix !== undefined) return prefix + value.slice(0, MAX_ID_CHARS)
  }
  return ''
}

const nothing = () => undefined
const UNSEEN: TapExchange = {
  id: '',
  requestBytes: nothing,
  requestEnd: nothing,
  responseHead: nothing,
  responseBytes: nothing,
  end: nothing,
}
