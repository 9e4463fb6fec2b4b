import { createHash } from 'node:crypto'
import type { AdviceKindName } from '../../shared/contract/advice.ts'
import type { AdviceCall } from '../store/read/advice-calls.ts'
import type { LargeOutput } from '../store/read/advice-outputs.ts'
import type { AdviceSession, CarriedServer } from '../store/read/advice-sessions.ts'
import type { Decisions } from './decisions.ts'
import type { Place } from './place.ts'

/** Money that a try cost. `claim` says which tokens it is for, so that no two suggestions count the same ones. */
export type Claim =
  /** What the call paid for tokens that it could have read from the cache. */
  | { readonly of: 'miss'; readonly call: number }
  /** What the calls cost, up to the try's own USD. */
  | { readonly of: 'calls'; readonly calls: readonly number[] }
  /** What later turns paid for these outputs. */
  | { readonly of: 'outputs'; readonly outputs: readonly LargeOutput[] }
  /** What the session paid for definitions of these MCP servers. */
  | { readonly of: 'servers'; readonly session_id: string; readonly servers: readonly CarriedServer[] }
  | { readonly of: 'nothing' }

/** One opportunity: the thing happened, or it could have. */
export interface Try {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The event that shows it. */
  readonly event: number
  /** The session: what comes together in one is one chance. Absent: it is alone in its session. */
  readonly session?: string
  /** True if it happened. */
  readonly hit: boolean
  /** USD before other suggestions had their part. */
  readonly usd: number
  readonly minutes: number
  /** How much of it there was, however long sessions and contexts are; absent: 1 if it happened. */
  readonly amount?: number
  /** What the fix itself costs and saves by this opportunity, as the price of longer writes, in a context of so many tokens. */
  readonly net?: { readonly charge: () => number; readonly saves: () => number; readonly context: number }
  readonly claim: Claim
}

/** Returns a session in which it could have happened, and did not. */
export const quietTry = ({ started_at: at, session_id: session, calls }: AdviceSession): Try => {
  return { at, event: calls[0]?.id ?? 0, session, hit: false, usd: 0, minutes: 0, claim: { of: 'nothing' } }
}

/** Returns the sessions after the first of some that are not among them. */
export function sessionsWithout(
  all: readonly AdviceSession[],
  some: readonly Pick<AdviceSession, 'session_id' | 'started_at'>[],
): readonly Try[] {
  const since = Math.min(...some.map(({ started_at: at }) => at))
  const ids = new Set(some.map(({ session_id: id }) => id))
  return all
    .filter(({ session_id: id, started_at: at, calls }) => at > since && calls.length > 0 && !ids.has(id))
    .map(quietTry)
}

/** Returns a request that could have missed the cache for a reason; `hit`: it did. */
export const missTry = ({ at, id, session_id: session, waste_usd: usd }: AdviceCall, hit: boolean): Try => {
  const of = hit ? ({ usd, claim: { of: 'miss', call: id } } as const) : ({ usd: 0, claim: { of: 'nothing' } } as const)
  return { at, event: id, session, hit, minutes: 0, ...of }
}

/** A change of one value in a JSON file of settings. A value for a list is added to it. */
export interface SettingsFix {
  readonly title: string
  readonly steps: readonly string[]
  /** What a line of CLAUDE.md names if it is such a rule already; absent: the fix is not a line of text. */
  readonly rule?: string
  /** Words of which such a line has at least `least`, too: the name alone may be an ordinary word. */
  readonly ruleWords?: { readonly words: readonly string[]; readonly least: number }
  /** In the person's own settings of the project; absent: the fix is a text. */
  readonly set?: readonly {
    readonly path: readonly string[]
    readonly value: unknown
    readonly add?: true | undefined
  }[]
}

/** A suggestion before it is decided whether it is worth making. */
export interface Candidate {
  readonly kind: AdviceKindName
  /** What it is about within its place, in words that stay the same. */
  readonly subject: string
  /** The MCP servers that it is about, if it is about several together. */
  readonly servers?: readonly string[]
  readonly place: Place
  readonly tries: readonly Try[]
  /** Sessions in which nothing of the kind was run. Only the check of a fix counts them, which may be the reason for that. */
  readonly without?: readonly Try[]
  /** True if it is too seldom to be suggested, which may be due to its fix: one that was decided about stays listed. */
  readonly isSeldom?: boolean
  /** Hits below this are chance. */
  readonly minHits: number
  /** Writes the headline from what is left after other suggestions: `usd` as text with its unit. */
  readonly headline: (figures: Figures) => string
  readonly fix: SettingsFix | null
  /** Returns what held at a time in milliseconds since 1970: without what was served by then by what it would set. */
  readonly asOf?: (time: number) => Pick<Candidate, 'tries' | 'fix'>
  /** True if an update of the client alone may be the cause. */
  readonly mayBeClient?: true
}

/** The same for as long as kind, place and subject are. */
export function idOf({ kind, place, subject }: Pick<Candidate, 'kind' | 'place' | 'subject'>): string {
  const of = JSON.stringify([kind, place.project, place.client, subject])
  return `${kind}-${createHash('sha256').update(of).digest('hex').slice(0, 12)}`
}

export interface Figures {
  readonly hits: number
  readonly opportunities: number
  /** Sessions with hits, in words: "3 sessions". */
  readonly sessions: string
  /** With its time, such as `$4.10 a month`, or `$4.10 in 12 recorded days` if there are no more. */
  readonly usd: string
  readonly minutes: string
}

/** A kind of advice: finds candidates in the record of one place. */
export interface AdviceKind {
  readonly kind: AdviceKindName
  /** True if what is found in a place depends on other places, or on what was decided. */
  readonly looksElsewhere?: true
  /** `all`: the places of the whole record, for what must have been seen anywhere. */
  find(place: Place, all: readonly Place[], decisions: Decisions): readonly Candidate[]
}
