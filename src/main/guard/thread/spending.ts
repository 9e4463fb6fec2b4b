import type { Reader } from '../../store/read/reader.ts'
import { costSpent } from '../../store/read/breakdowns.ts'
import {
  agentsOf,
  callsBefore,
  momentsRecorded,
  newestProject,
  outputsOf,
  tokensSpent,
  usageOfAgents,
  usageOfSession,
} from '../../store/read/guard.ts'
import type { ClockSpan } from './clock-spans.ts'
import { exchangeCost } from '../../store/read/exchange-cost.ts'

/** USD and tokens. */
export interface Amount {
  readonly usd: number
  readonly tokens: number
}

/** Reads what has been spent. Hours and days are the sums that budgets read. */
export function spendingOf(reader: () => Reader) {
  return {
    session: (id: string): Amount => usageOfSession(reader(), id),
    agents: (session: string, ids: readonly string[]): Amount => usageOfAgents(reader(), session, ids),
    /** The parent of each agent of a session; null: the main agent started it. */
    parents: (session: string) => agentsOf(reader(), session),
    /** Sums a time range; `project` null: of all projects. */
    within({ since, until }: ClockSpan, project: string | null): Amount {
      const span = { since: since.toISOString(), until: until.toISOString(), ...(project === null ? {} : { project }) }
      return { usd: costSpent(reader(), span).cost_usd, tokens: tokensSpent(reader(), span) }
    },
    /** The folder in which a session works now; null if it is not known. */
    project: (session: string) => newestProject(reader(), session),
    /** What is stored of the cost of an exchange. */
    exchange: (id: string) => exchangeCost(reader(), id),
    /** The times of the newest answers, in ms, in the order of their arrival. */
    moments: () => momentsRecorded(reader()),
    /** The tokens of output of the newest whole answers of a model, in all sessions. */
    outputs: (model: string) => outputsOf(reader(), model),
    /** The newest calls of a session's agent, newest first. */
    recentCalls: (session: string, agent: string | null) => callsBefore(reader(), session, agent),
  }
}
export type Spending = ReturnType<typeof spendingOf>
