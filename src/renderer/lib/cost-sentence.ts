import type { CacheCauseKind } from '../../shared/cache-causes.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatCost, plural } from './format.ts'

/** Fewer others do not say what is usual. */
const LEAST_OTHERS = 3
/** A cause below this share of the cost, or below a cent, is not worth a sentence. */
const LEAST_SHARE = 0.1
const LEAST_USD = 0.01

/** What happened, after "it: " and before how often. Null: nothing that a person did or could change. */
const HAPPENED: Readonly<Record<CacheCauseKind, string | null>> = {
  first_request: null,
  ttl_expired: 'the cache expired during a pause',
  model_changed: 'the model was changed',
  speed_changed: 'fast mode was changed',
  betas_changed: 'the client changed its beta header',
  marks_changed: 'cache breakpoints moved',
  parameters_changed: 'thinking or effort was changed',
  tools_changed: 'the tools changed',
  system_changed: 'the system prompt changed',
  messages_changed: 'earlier messages changed',
  resumed: 'sessions were resumed or forked',
  lookback_exceeded: 'too much was added at once for the cache',
  below_minimum: null,
  compaction: 'the context was compacted',
  provider: 'the API evicted the cache',
  unknown: null,
}

/**
 * Says what something cost and how that compares with the usual: the median of the others that cost anything, at least
 * three. Null if it cost nothing.
 */
export function costSentence(subject: string, spent: number, others: readonly number[]): string | null {
  if (spent <= 0) return null
  const known = others.filter((usd) => usd > 0).toSorted((one, other) => one - other)
  const cost = `${subject} cost ${formatCost(spent)}`
  if (known.length < LEAST_OTHERS) return `${cost}.`
  const [low = 0, high = 0] = [known[(known.length - 1) >> 1], known[known.length >> 1]]
  const usual = (low + high) / 2
  return `${cost}, ${comparison(spent / usual)} ${formatCost(usual)}.`
}

function comparison(ratio: number): string {
  if (ratio >= 2.75) return `${Math.round(ratio)} times your usual`
  if (ratio >= 1.75) return 'twice your usual'
  if (ratio >= 1.15) return 'more than your usual'
  if (ratio > 0.85) return 'about your usual'
  return ratio > 0.6 ? 'less than your usual' : 'far less than your usual'
}

export interface LargestCause {
  readonly cause: CacheCauseKind
  readonly text: string
}

/** Names the largest avoidable part of a cost; null if there is none worth a sentence. */
export function largestCause(
  spent: number,
  by_cause: readonly Pick<OperationOutput<'cache.summary'>['by_cause'][number], 'cause' | 'waste_usd' | 'requests'>[],
): LargestCause | null {
  const named = by_cause.filter(({ cause }) => HAPPENED[cause] !== null)
  const [top] = named.toSorted((one, other) => other.waste_usd - one.waste_usd)
  if (top === undefined || top.waste_usd < Math.max(LEAST_USD, spent * LEAST_SHARE)) return null
  const often = top.requests === 1 ? 'once' : plural(top.requests, 'time')
  return { cause: top.cause, text: `${formatCost(top.waste_usd)} of it: ${HAPPENED[top.cause]}, ${often}.` }
}
