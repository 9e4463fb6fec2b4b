import type { Reader } from '../../store/read/reader.ts'
import { costSpent } from '../../store/read/breakdowns.ts'
import {
  agentsOf,
  callsBefore,
  momentsRecorded,
  outputsOf,
  sessionProject,
  tokensSpent,
  usageOfAgents,
  usageOfSession,
} from '../../store/read/guard.ts'
import type { ClockSpan } from './clock-spans.ts'
import { exchangeCost, type ExchangeCost } from '../../store/read/exchange-cost.ts'

/** USD and tokens. */
export interface Amount {
  readonly usd: number
  readonly tokens: number
}

/** Reads what has been spent. Hours and days are the sums that budgets read. */
export class Spending {
  readonly #reader: () => Reader

  constructor(reader: () => Reader) {
    this.#reader = reader
  }

  session(id: string): Amount {
    return usageOfSession(this.#reader(), id)
  }

  agents(session: string, ids: readonly string[]): Amount {
    return usageOfAgents(this.#reader(), session, ids)
  }

  /** Returns the parent of each agent of a session; null: the main agent started it. */
  parents(session: string): ReadonlyMap<string, string | null> {
    return agentsOf(this.#reader(), session)
  }

  /** Sums a time range; `project` null: of all projects. */
  within({ since, until }: ClockSpan, project: string | null): Amount {
    const span = { since: since.toISOString(), until: until.toISOString(), ...(project === null ? {} : { project }) }
    const reader = this.#reader()
    return { usd: costSpent(reader, span).cost_usd, tokens: tokensSpent(reader, span) }
  }

  project(session: string): string | null {
    return sessionProject(this.#reader(), session)
  }

  /** Returns what is stored of the cost of an exchange. */
  exchange(id: string): ExchangeCost {
    return exchangeCost(this.#reader(), id)
  }

  /** Returns the times of the newest answers, in ms, in the order of their arrival. */
  moments(): readonly number[] {
    return momentsRecorded(this.#reader())
  }

  /** Returns the tokens of output of the newest whole answers of a model, in all sessions. */
  outputs(model: string): readonly number[] {
    return outputsOf(this.#reader(), model)
  }

  /** Returns the newest calls of a session's agent, newest first. */
  recentCalls(session: string, agent: string | null) {
    return callsBefore(this.#reader(), session, agent)
  }
}
