import type { Advice } from '../../shared/contract/advice.ts'
import { idOf, type Candidate, type SettingsFix, type Try } from './candidate.ts'
import { Claims, type ServerCost } from './claims.ts'
import type { Decision, Decisions } from './decisions.ts'
import { begunWith, type Begun } from './client-version.ts'
import { KINDS } from './kinds.ts'
import { isWorth, Places, type Place } from './place.ts'
import type { AdviceSession } from '../store/read/advice-sessions.ts'
import { counted } from '../../shared/counted.ts'
import { DAY_MS } from '../../shared/time-units.ts'
import { clientLabel } from '../../shared/vendors.ts'
import { bandText, daysIn, monthBand, perMonth, timeOf } from './rhythm.ts'
import { verdictOn } from './verdict.ts'

/** Below this, nothing is said: too little was observed. */
const MIN_OPPORTUNITIES = 10

/** A suggestion whose cases are ids of events, and whose fix is not yet compared with the files. */
export interface Suggestion extends Omit<Advice, 'evidence' | 'cases' | 'fix'> {
  readonly cases: readonly { readonly event: number; readonly usd: number; readonly minutes: number }[]
  /** When it last happened, in milliseconds since 1970. */
  readonly last: number
  readonly fix: SettingsFix | null
}

/** What was found in places of which no session changed since. */
export class Found {
  readonly places = new Places()
  readonly #candidates = new WeakMap<Place, readonly Candidate[]>()

  /** Returns the candidates of all places, by kind. */
  of(sessions: readonly AdviceSession[], decisions: Decisions): readonly Candidate[] {
    const places = this.places.of(sessions)
    const all = places.flatMap((place) => [
      ...this.#ownOf(place),
      ...KINDS.flatMap((kind) => (kind.looksElsewhere === true ? kind.find(place, places, decisions) : [])),
    ])
    return KINDS.flatMap(({ kind }) => all.filter((candidate) => candidate.kind === kind))
  }

  #ownOf(place: Place): readonly Candidate[] {
    const own =
      this.#candidates.get(place) ??
      KINDS.flatMap((kind) => (kind.looksElsewhere === true ? [] : kind.find(place, [place], {})))
    this.#candidates.set(place, own)
    return own
  }
}

/** Draws all suggestions from the record, most expensive first. */
export function advise(
  found: Found,
  sessions: readonly AdviceSession[],
  serverCost: ServerCost,
  decisions: Decisions,
): readonly Suggestion[] {
  const claims = new Claims(
    sessions.flatMap(({ calls }) => calls),
    serverCost,
  )
  return found
    .of(sessions, decisions)
    .flatMap((one) => {
      const id = idOf(one)
      const decision = decisions[id]
      const candidate = seenBy(decision, one)
      if (!isObserved(candidate)) return []
      const isNothing = candidate.isSeldom === true || isOver(candidate) || !isWorthIt(candidate, candidate.tries)
      if (decision === undefined && isNothing) return []
      const tries = candidate.tries.map((one) => ({ ...one, usd: claims.take(one) }))
      const isLeft = decision !== undefined || isWorthIt(candidate, tries)
      return isLeft ? [suggestion(id, candidate, tries, decision)] : []
    })
    .toSorted(
      (one, other) => other.usd_per_month - one.usd_per_month || other.minutes_per_month - one.minutes_per_month,
    )
}

/** What was open when it was decided, so that no figure jumps. One that was undone stays listed, open or not. */
function seenBy(decision: Decision | undefined, one: Candidate): Candidate {
  const isApplied = decision?.state === 'applied'
  if (!isApplied && (decision?.state !== 'undone' || isObserved(one))) return one
  return { ...one, ...one.asOf?.(isApplied ? Date.parse(decision.at) : 0) }
}

const isObserved = ({ tries, minHits }: Candidate): boolean =>
  tries.length >= MIN_OPPORTUNITIES && tries.filter(({ hit }) => hit).length >= minHits

/** True if it has stopped: so many newest days had opportunities, or work, without a case that chance does not explain it. */
function isOver({ tries, place }: Candidate): boolean {
  const dayOf = ({ at }: { readonly at: number }) => Math.floor(at / DAY_MS)
  const hits = new Set(tries.filter(({ hit }) => hit).map(dayOf))
  const last = Math.max(...hits)
  const isQuiet = (days: ReadonlySet<number>, least: number) => {
    const quiet = [...days].filter((day) => day > last).length
    const rate = hits.size / (days.size - quiet + 1)
    return quiet >= least && Math.max(0, 1 - rate) ** quiet < BY_CHANCE
  }
  const worked = place.sessions.map(({ started_at: at }) => dayOf({ at }))
  return isQuiet(new Set(tries.map(dayOf)), QUIET_DAYS) || isQuiet(new Set(worked), QUIET_WORK_DAYS)
}
const QUIET_DAYS = 3
/** Without an opportunity, a day says less. */
const QUIET_WORK_DAYS = 7
const BY_CHANCE = 0.01

const isWorthIt = ({ place }: Candidate, tries: readonly Try[]): boolean =>
  isWorth(place, sumOf(tries, 'usd'), sumOf(tries, 'minutes'))

const sumOf = (tries: readonly Try[], field: 'usd' | 'minutes'): number =>
  tries.reduce((sum, one) => sum + one[field], 0)

function suggestion(
  id: string,
  candidate: Candidate,
  tries: readonly Try[],
  decision: Decision | undefined,
): Suggestion {
  const { kind, place, servers, headline } = candidate
  const { rhythm } = place
  const begun = candidate.mayBeClient === true ? begunWith(place, tries) : null
  const hits = tries.filter(({ hit }) => hit)
  const usd = sumOf(tries, 'usd')
  const band = monthBand(tries, rhythm)
  const minutes = perMonth(sumOf(tries, 'minutes'), rhythm)
  return {
    id,
    kind,
    scope: { ...(place.project === null ? {} : { project: place.project }), client: place.client },
    ...(servers === undefined ? {} : { servers: [...servers] }),
    headline: `${headline({
      hits: hits.length,
      opportunities: tries.length,
      sessions: counted(new Set(hits.map(({ session }) => session)).size, 'session'),
      usd: bandText(usd, band, rhythm),
      minutes: `${Math.round(minutes)} minutes ${timeOf(rhythm)}`,
    })}${begun === null ? '' : `. It began with version ${begun.with} of the client`}`,
    cases: hits
      .toSorted((one, other) => other.usd - one.usd || other.minutes - one.minutes || one.at - other.at)
      .map(({ event, usd, minutes }) => ({ event, usd, minutes })),
    last: hits.reduce((last, { at }) => Math.max(last, at), 0),
    hits: hits.length,
    opportunities: tries.length,
    usd_per_month: perMonth(usd, rhythm),
    minutes_per_month: minutes,
    band,
    recorded_days: daysIn(rhythm),
    fix: fixIn(place.client, begun === null ? candidate.fix : fixOfVersion(begun, candidate.fix)),
    ...stateOf([...tries, ...(candidate.without ?? [])], hits.length, decision),
  }
}

/** Clients that read Claude Code's settings and CLAUDE.md. */
const LIKE_CLAUDE: ReadonlySet<string> = new Set(['claude-code', 'agent-sdk', 'unknown'])

/** Another client has its own settings, and reads AGENTS.md. */
function fixIn(client: string, fix: SettingsFix | null): SettingsFix | null {
  if (fix === null || LIKE_CLAUDE.has(client)) return fix
  const { title, steps, set, ...rule } = fix
  const known = set === undefined ? steps : [`See in the settings of ${clientLabel(client)} how it does this.`]
  const inWords = (text: string) => text.replaceAll('CLAUDE.md', 'AGENTS.md').replaceAll('claude mcp', `${client} mcp`)
  return { ...rule, title: inWords(title), steps: known.map(inWords) }
}

/** A setting may still turn off what the client does now; text about the person's own setup would be wrong. */
function fixOfVersion({ with: now, before }: Begun, fix: SettingsFix | null): SettingsFix {
  const steps = [`Version ${before} did not do this: stay on it, or report it to the client's makers.`]
  if (fix?.set !== undefined) return { ...fix, steps: [...fix.steps, ...steps] }
  return { title: `Version ${now} of the client is the cause, not your setup`, steps }
}

/** A dismissed suggestion comes back when its evidence has doubled. */
function stateOf(
  tries: readonly Try[],
  hits: number,
  decision: Decision | undefined,
): Pick<Advice, 'state' | 'checked'> {
  if (decision === undefined) return { state: 'open', checked: null }
  if (decision.state === 'dismissed') return { state: hits >= 2 * decision.hits ? 'open' : 'dismissed', checked: null }
  if (decision.state === 'undone') return { state: 'undone', checked: null }
  const since = Date.parse(decision.at)
  const inOrder = tries.toSorted((one, other) => one.at - other.at)
  const before = inOrder.filter(({ at }) => at < since)
  // What costs time costs no money. All that happened counts at the price of before: another rhythm does not come from a fix.
  const isTime = tries.some(({ minutes }) => minutes > 0)
  const amounts = before.reduce((sum, one) => sum + amountOf(one), 0)
  const price = amounts === 0 ? 0 : sumOf(before, isTime ? 'minutes' : 'usd') / amounts
  const meanOf = (of: (one: Try) => number) => before.reduce((sum, one) => sum + of(one), 0) / before.length
  const context = meanOf(({ net }) => net?.context ?? 0)
  const chargeOf = ({ net }: Try) => (net === undefined ? 0 : (net.charge() * context) / Math.max(1, net.context))
  const cost = (one: Try) => price * amountOf(one) + chargeOf(one)
  const saved = meanOf(({ net }) => net?.saves() ?? 0)
  const promised = Math.min(saved > 0 ? saved : Infinity, decision.promised, meanOf(cost))
  const costOf = (one: Try) => ({ cost: cost(one), session: one.session ?? String(one.event) })
  return verdictOn(before.map(costOf), inOrder.filter(({ at }) => at >= since).map(costOf), { promised })
}

const amountOf = ({ hit, amount = hit ? 1 : 0 }: Try): number => amount
