import type { GuardCap, GuardKept, OverCap } from '../../../shared/contract/guard.ts'
import { isSameFolder } from '../../../shared/folders.ts'
import type { Pricing } from '../../store/pricing/pricing.ts'
import type { LeftOutAnswer } from '../../../shared/left-out-answer.ts'
import type { CapFill, GuardConfig } from '../guard-protocol.ts'
import { AgentTrees } from './agent-trees.ts'
import { Caps } from './caps.ts'
import { ClockSpans } from './clock-spans.ts'
import { estimate } from './estimate.ts'
import { hashed, type EstimatesFile, type Reserved } from './estimates-file.ts'
import type { ReadRequest } from './read-request.ts'
import { Reservations, type Priced } from './reservations.ts'
import type { Amount, Spending } from './spending.ts'

const NOTHING: Amount = { usd: 0, tokens: 0 }
/** Answers that are looked at again before a request is compared with the caps. */
const SETTLED_AGAIN = 50

/** A request with its estimate, ready to be compared with the caps. */
export interface Case extends Priced {
  readonly request: ReadRequest
  /** What it reserves once it leaves. */
  readonly reserved: Amount
}

type Check = OverCap & { readonly cap: GuardCap }

interface JudgeOptions {
  readonly spending: Spending
  readonly pricing: Pricing
  readonly config: GuardConfig
  /** What apps of the same data folder tell each other; null: nothing. */
  readonly file?: EstimatesFile | null
}

/** Compares requests with the caps, counting spent and reserved amounts. */
export class Judge {
  readonly #spending: Spending
  readonly #pricing: Pricing
  #config: GuardConfig
  #caps: Caps
  readonly #agents = new AgentTrees()
  readonly #clock = new ClockSpans()
  readonly #reserved: Reservations

  constructor({ spending, pricing, config, file = null }: JudgeOptions) {
    this.#spending = spending
    this.#pricing = pricing
    this.#config = config
    this.#caps = new Caps(config)
    this.#reserved = new Reservations(file)
  }

  /** Learns from what is recorded how the clock was set before this start. */
  recall(): void {
    this.#clock.recall(this.#spending.moments())
  }

  /**
   * Prices a request; a model without a price costs nothing, and only its tokens count. `earlierTokens`: tokens of the
   * continued request, if no response to it is stored.
   */
  price(
    read: ReadRequest,
    wall: number,
    earlierTokens = 0,
  ): Case & { readonly isUnpriced: boolean; readonly contextTokens: number } {
    this.#clock.follow(wall)
    const { sessionId, agentId } = read
    const past = sessionId === null ? [] : this.#spending.recentCalls(sessionId, agentId)
    const [last] = past
    const stored = last === undefined ? 0 : last.prompt_tokens + (last.output_tokens ?? 0)
    const contextTokens = read.inputTokens + (read.isContinued ? Math.max(earlierTokens, stored) : 0)
    const request: ReadRequest = { ...read, inputTokens: contextTokens }
    const outputs = this.#spending.outputs(request.model)
    const how = { pricing: this.#pricing, isStrict: this.#config.strict, outputs, wall }
    const guess = estimate(request, past, how)
    const reserved = estimate(request, past, { ...how, isReserved: true })
    return {
      request,
      wall,
      sessionId,
      agentId,
      project: this.#projectOf(request),
      guess: { ...guess, usd: guess.usd ?? 0 },
      reserved: { ...reserved, usd: reserved.usd ?? 0 },
      isUnpriced: guess.usd === null,
      contextTokens,
    }
  }

  /** Returns the first cap that the request would exceed; null if none. */
  over(asked: Case): OverCap | null {
    const { request, sessionId } = asked
    if (sessionId !== null && request.agentId === null && request.beginsTurn)
      this.#agents.beginTurn(sessionId, request.messages)
    for (const check of this.#checks(asked)) {
      const { limit, used, guess } = check
      if (limit > 0 && used + guess > limit) return check
    }
    return null
  }

  /** Reserves the estimate of a request that leaves. */
  admit(id: string, asked: Case): void {
    const { sessionId, agentId, request } = asked
    this.#reserved.reserve(id, { ...asked, guess: asked.reserved })
    if (sessionId !== null && agentId !== null) this.#agents.add(sessionId, agentId, request.parentAgentId)
  }

  forget(id: string): void {
    this.#reserved.forget(id)
  }

  /** The answer is over: its estimate counts on, less what is stored of its cost, until all of that is. */
  settle(id: string): void {
    // Also if what is stored cannot be read.
    this.#reserved.keep(id, null)
    const cost = this.#spending.exchange(id)
    if (cost.kind === 'final' || cost.kind === 'free') this.#reserved.forget(id)
    else this.#reserved.keep(id, cost.kind === 'lower_bound' ? cost : NOTHING)
  }

  /** Answers are over that are not stored: what they cost counts instead of their estimates. */
  leftOut(answers: readonly LeftOutAnswer[]): void {
    for (const { exchange, cost } of answers) if (cost !== null) this.#reserved.spend(exchange, cost)
  }

  /**
   * Learns of other apps' requests, and looks again at answers that are over: their cost may have been stored since, from
   * the spool, a transcript or another app.
   */
  settleAgain(wall: number): void {
    this.#reserved.learn(wall)
    for (const id of this.#reserved.nextKept(SETTLED_AGAIN)) this.settle(id)
  }

  /** Returns the estimates that count on for answers that are over. */
  kept(): GuardKept {
    return this.#reserved.kept()
  }

  /** Applies other caps; what is reserved, and who started whom, stays known. */
  configure(config: GuardConfig): void {
    this.#config = config
    this.#caps = new Caps(config)
  }

  /** Returns how full the caps of the hour and of the day are, of all projects together and of each that has its own. */
  fill(wall: number): readonly CapFill[] {
    this.#clock.follow(wall)
    return [null, ...this.#config.projects.map(({ project }) => project)].flatMap((project) =>
      [...this.#ofPeriods(wall, project, NOTHING)].flatMap(({ cap, limit, used }) =>
        limit > 0 ? [{ project, cap, limit, used }] : [],
      ),
    )
  }

  /** Raises a cap for its scope to a limit, until the thread ends. */
  raise(over: OverCap, to: number): void {
    this.#caps.raise(over, to)
  }

  /** The folder that the main agent's request names, or else the newest of its session: an agent may have a worktree. */
  #projectOf({ sessionId, agentId, project }: ReadRequest): string | null {
    const newest = sessionId === null ? null : this.#spending.project(sessionId)
    if (newest === null || project === null) return newest ?? project
    // The recorded spelling is the one that sums have.
    return agentId !== null || isSameFolder(project, newest) ? newest : project
  }

  *#checks(asked: Case): Generator<Check> {
    const { guess, project } = asked
    for (const checks of [this.#both('request', asked, '', NOTHING), this.#ofSession(asked)])
      for (const check of checks)
        yield project !== null && this.#caps.isOwn(check.cap, project) ? { ...check, project } : check
    yield* this.#ofPeriods(asked.wall, null, guess)
    if (project === null) return
    for (const check of this.#ofPeriods(asked.wall, project, guess)) yield { ...check, project }
  }

  /** The hour and the day of all projects together (null), or of one alone. */
  *#ofPeriods(wall: number, project: string | null, guess: Amount): Generator<Check> {
    const own = hashed(project)
    for (const period of ['hour', 'day'] as const) {
      const spans = this.#clock.of(period, wall)
      const all = spans[0].since.toISOString()
      const scope = project === null ? all : `${all} ${project}`
      const limitOf = (cap: GuardCap) =>
        project === null ? this.#caps.of(cap, scope, null) : this.#caps.own(cap, scope, project)
      if (limitOf(`${period}_usd`) === 0 && limitOf(`${period}_tokens`) === 0) continue
      const matches = (other: Reserved) => own === null || other.project === own
      const reserved = this.#reserved.sum(matches, spans[0].since.getTime())
      const used = spans.map((span) => this.#spending.within(span, project)).reduce(plus, reserved)
      yield* both(period, { scope, used, guess, limitOf })
    }
  }

  *#ofSession(asked: Case): Generator<Check> {
    const { sessionId, agentId, project, request } = asked
    const { repeats } = request
    const calls = `${sessionId ?? ''} ${repeats.call.slice(0, 200)}`
    const repeated = this.#caps.of('repeat_calls', calls, project)
    // The limit is the allowed number of equal calls: the next one exceeds it.
    yield { cap: 'repeat_calls', scope: calls, limit: repeated, used: repeats.count - 1, guess: 1 }
    if (sessionId === null) return
    const session = hashed(sessionId)
    const inSession = (other: Reserved) => other.session === session
    const isSet = (cap: GuardCap) => this.#caps.of(cap, sessionId, project) > 0
    if (isSet('session_usd') || isSet('session_tokens')) {
      const used = plus(this.#spending.session(sessionId), this.#reserved.sum(inSession))
      yield* this.#both('session', asked, sessionId, used)
    }
    if (agentId === null) return
    const started = this.#agents.countWith(sessionId, agentId)
    const most = this.#caps.of('agents_per_turn', sessionId, project)
    if (!this.#agents.isKnown(sessionId, agentId)) {
      yield { cap: 'agents_per_turn', scope: sessionId, limit: most, used: started - 1, guess: 1 }
      const growing = this.#caps.of('growing_fan_out', sessionId, project)
      const steps = this.#agents.growthWith(sessionId, agentId, request.parentAgentId)
      yield { cap: 'growing_fan_out', scope: sessionId, limit: growing, used: steps - 1, guess: 1 }
    }
    yield* this.#ofTree(asked, sessionId, agentId)
  }

  *#ofTree(asked: Case, session: string, agent: string): Generator<Check> {
    const { agent_tree_usd: usd, agent_tree_tokens: tokens, projects } = this.#config
    if (usd === 0 && tokens === 0 && projects.length === 0) return
    const stored = this.#spending.parents(session)
    const { root, members } = this.#agents.treeOf(session, agent, asked.request.parentAgentId, stored)
    const [own, ids] = [hashed(session), new Set([...members].map(hashed))]
    const inTree = (other: Reserved) => other.session === own && other.agent !== null && ids.has(other.agent)
    const used = plus(this.#spending.agents(session, [...members]), this.#reserved.sum(inTree))
    yield* this.#both('agent_tree', asked, `${session} ${root}`, used)
  }

  #both(name: 'request' | 'session' | 'agent_tree', { guess, project }: Case, scope: string, used: Amount) {
    return both(name, { scope, used, guess, limitOf: (cap) => this.#caps.of(cap, scope, project) })
  }
}

/** The caps of one name on dollars and on tokens. */
function* both(
  name: 'request' | 'session' | 'agent_tree' | 'hour' | 'day',
  { scope, used, guess, limitOf }: { scope: string; used: Amount; guess: Amount; limitOf: (cap: GuardCap) => number },
): Generator<Check> {
  for (const unit of ['usd', 'tokens'] as const) {
    const cap = `${name}_${unit}` as const
    yield { cap, scope, limit: limitOf(cap), used: used[unit], guess: guess[unit] }
  }
}

function plus(one: Amount, other: Amount): Amount {
  return { usd: one.usd + other.usd, tokens: one.tokens + other.tokens }
}
