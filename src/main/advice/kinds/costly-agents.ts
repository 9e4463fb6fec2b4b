import type { AdviceCall } from '../../store/read/advice-calls.ts'
import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import { sessionsWithout, type AdviceKind, type Candidate, type Try } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_COSTLY = 5
/** A type of agent that pays in most of its runs is not the problem. */
const MIN_SHARE = 0.5

/** Agents that cost more than the same steps would have cost in the conversation that started them. */
export const costlyAgents: AdviceKind = {
  kind: 'costly_agents',
  find(place) {
    const runs = place.sessions.flatMap(runsOf)
    return [...Map.groupBy(runs, ({ type }) => type)].map(([type, group]) => {
      const costly = group.filter(({ extra_usd: usd }) => usd > 0)
      const net = group.reduce((sum, { extra_usd: usd }) => sum + usd, 0)
      return { ...candidate(place, type, group), isSeldom: net <= 0 || costly.length < MIN_SHARE * group.length }
    })
  },
}

interface Run {
  readonly session: AdviceSession
  readonly type: string
  readonly calls: readonly AdviceCall[]
  /** What it cost more than the same steps without an agent; negative if it saved. */
  readonly extra_usd: number
}

function candidate(place: Place, type: string, runs: readonly Run[]): Candidate {
  return {
    kind: 'costly_agents',
    subject: type,
    place,
    tries: runs.flatMap(tryOf),
    without: sessionsWithout(
      place.sessions,
      runs.map(({ session }) => session),
    ),
    minHits: MIN_COSTLY,
    headline: ({ hits, opportunities, usd }) =>
      `${hits} of ${opportunities} runs of agent "${type}" cost more than the same steps in the conversation itself: ${usd}`,
    fix: {
      title: `Give agent "${type}" larger tasks, or a cheaper model`,
      steps: [
        `Say in CLAUDE.md: look up single facts yourself; use the agent ${type} only for what reads much and answers briefly.`,
        `If ${type} is your own agent, a cheaper model in its file (model: haiku) lowers the price of each run, not its tokens.`,
      ],
      rule: type,
      ruleWords: { words: LIMITS, least: 2 },
    },
  }
}

/** Words of a line that limits what an agent is used for, as opposed to one that asks for it. */
const LIMITS = [
  'agent',
  'agents',
  'subagent',
  'subagents',
  'only',
  'never',
  'not',
  "don't",
  'avoid',
  'instead',
  'yourself',
]

function tryOf({ session: { session_id: session }, calls, extra_usd: extra }: Run): readonly Try[] {
  const [first] = calls
  if (first === undefined) return []
  const usd = Math.max(0, extra)
  const claim = usd > 0 ? ({ of: 'calls', calls: calls.map(({ id }) => id) } as const) : ({ of: 'nothing' } as const)
  return [{ at: first.at, event: first.id, session, hit: usd > 0, usd, minutes: 0, amount: usd, claim }]
}

/** Returns the runs of a session whose start, price and conversation are known. */
function runsOf(session: AdviceSession): readonly Run[] {
  const { calls, agents } = session
  const lines = Map.groupBy(calls.filter(isWork), ({ agent_id: agent }) => agent)
  return agents.flatMap(({ agent_id: agent, agent_type: type, parent_agent_id: parent }) => {
    const own = lines.get(agent) ?? []
    const [first] = own
    if (type === null || first === undefined) return []
    // By time: of a transcript, an agent is stored apart from the conversation that started it.
    const above = (lines.get(parent) ?? []).toSorted((one, other) => one.at - other.at)
    const start = above.findLast(({ at }) => at < first.at)
    const extra = extraOf(own, start, above)
    return extra === null ? [] : [{ session, type, calls: own, extra_usd: extra }]
  })
}

const isWork = ({ request_kind: kind }: AdviceCall): boolean => kind !== 'side_call' && kind !== 'warmup'

/**
 * Compares a run with the same steps in the conversation that started it. There each step would have read that
 * conversation instead of the agent's own prompt, and what the agent read would have stayed until the next compaction.
 */
function extraOf(own: readonly AdviceCall[], start: AdviceCall | undefined, above: readonly AdviceCall[]) {
  const [first, last] = [own[0], own.at(-1)]
  if (start === undefined || first === undefined || last === undefined) return null
  const later = above.filter(({ at }) => at > last.at)
  const [next] = later
  // Until its conversation goes on, it may still be at work.
  if (next === undefined) return null
  const context = start.context_tokens + start.output_tokens
  let [inside, grown] = [0, 0]
  for (const call of own) {
    const now = Math.max(grown, call.context_tokens - first.context_tokens)
    const usd = start.wouldCost({ read: context + grown, written: now - grown, output: call.output_tokens })
    if (usd === null) return null
    inside += usd
    grown = now
  }
  const returned = Math.max(0, next.context_tokens - context)
  const shrunk = later.findIndex(({ context_tokens: tokens }) => tokens < context)
  const carried = Math.max(0, grown + last.output_tokens - returned)
  const carry = start.wouldCost({ read: carried, written: 0, output: 0 }) ?? 0
  const spent = own.reduce((sum, { cost_usd: usd }) => sum + usd, 0)
  return spent - inside - carry * (shrunk < 0 ? later.length : shrunk)
}
