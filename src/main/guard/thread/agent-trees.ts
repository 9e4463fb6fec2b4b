import { RecentlyUsed } from '../../base/recently-used.ts'

/** Limit of sessions that are remembered; the one unseen for longest is forgotten first. */
const MAX_SESSIONS = 1000
/** Limit of agents that are remembered for a session. */
const MAX_AGENTS = 5000

interface Agents {
  readonly parents: Map<string, string | null>
  /** Agents seen since the turn began. */
  readonly ofTurn: Set<string>
  /** Messages of the request that began the turn: sending it again does not begin another turn. */
  beganWith: number | null
  /** Agents of the previous turn, and how many turns in a row had more agents than the one before. */
  before: { readonly count: number; readonly steps: number }
}

/** The agents of each session, as seen in their requests, before any of their events are stored. */
export class AgentTrees {
  readonly #sessions = new RecentlyUsed<string, Agents>(MAX_SESSIONS)

  #of(session: string): Agents {
    const known = this.#sessions.get(session)
    if (known !== undefined) return known
    const made: Agents = { parents: new Map(), ofTurn: new Set(), beganWith: null, before: { count: 0, steps: 0 } }
    this.#sessions.set(session, made)
    return made
  }

  /** `messages`: number of messages in the request that begins it. */
  beginTurn(session: string, messages: number): void {
    const agents = this.#of(session)
    const count = agents.ofTurn.size
    if (agents.beganWith !== messages) agents.before = { count, steps: stepsWith(count, agents.before) }
    agents.beganWith = messages
    agents.ofTurn.clear()
  }

  /**
   * Returns the number of growth steps that the fan-out would have with an agent: levels of agents above it, or turns
   * in a row that each started more agents than the one before, whichever is more.
   */
  growthWith(session: string, agent: string, parent: string | null): number {
    const { parents, before } = this.#of(session)
    return Math.max(
      lineOf(agent, new Map([...parents, [agent, parent]])).length - 1,
      stepsWith(this.countWith(session, agent), before),
    )
  }

  /** Returns how many agents the turn would have with this one. */
  countWith(session: string, agent: string): number {
    const { ofTurn } = this.#of(session)
    return ofTurn.size + (ofTurn.has(agent) ? 0 : 1)
  }

  /** Returns whether the agent has already been counted in this turn. */
  isKnown(session: string, agent: string): boolean {
    return this.#of(session).ofTurn.has(agent)
  }

  add(session: string, agent: string, parent: string | null): void {
    const { parents, ofTurn } = this.#of(session)
    if (parents.size < MAX_AGENTS) parents.set(agent, parent)
    if (ofTurn.size < MAX_AGENTS) ofTurn.add(agent)
  }

  /** Returns the ancestor of this agent that the main agent started, and every known agent below that. */
  treeOf(
    session: string,
    agent: string,
    parent: string | null,
    stored: ReadonlyMap<string, string | null>,
  ): { readonly root: string; readonly members: ReadonlySet<string> } {
    const parents = new Map([...stored, ...this.#of(session).parents, [agent, parent] as const])
    const rootOf = (member: string) => lineOf(member, parents).at(-1) ?? member
    const root = rootOf(agent)
    const members = new Set([...parents.keys()].filter((member) => rootOf(member) === root))
    return { root, members }
  }
}

/** A turn without agents, or with no more than the one before, ends the growth. */
function stepsWith(count: number, before: Agents['before']): number {
  return before.count > 0 && count > before.count ? before.steps + 1 : 0
}

/** Lists an agent and those above it. A cycle, which only a broken client could send, ends where it closes. */
function lineOf(agent: string, parents: ReadonlyMap<string, string | null>): readonly string[] {
  const seen = new Set([agent])
  for (let at = parents.get(agent); at !== null && at !== undefined && !seen.has(at); at = parents.get(at)) seen.add(at)
  return [...seen]
}
