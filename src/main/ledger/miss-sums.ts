import type { CacheCauseKind } from '../../shared/cache-causes.ts'

/** Misses with the same values of all properties that they are summed by. */
export interface MissGroup {
  readonly cause: CacheCauseKind
  readonly project: string | null
  /** The Monday of its week, in UTC. */
  readonly week: string
  readonly client_version: string | null
  readonly requests: number
  readonly missed_tokens: number
  readonly waste_usd: number
}

/** The sums of a range without requests. */
export const NO_REQUESTS = {
  requests: 0,
  judged: 0,
  cost_usd: 0,
  judged_cost_usd: 0,
  could_read: 0,
  read: 0,
  missed_tokens: 0,
  waste_usd: 0,
  unpriced: 0,
}

/** Groups of one property, at most. */
const MAX_GROUPS = 500

/** Sums misses by each of their properties: weeks in order, the others by cost. */
export function missSums(misses: readonly MissGroup[]) {
  return {
    by_cause: summedBy(misses, 'cause'),
    by_project: summedBy(misses, 'project'),
    by_week: summedBy(misses, 'week').toSorted((one, other) => (one.week < other.week ? -1 : 1)),
    by_client_version: summedBy(misses, 'client_version'),
  }
}

/** Sums misses by one of their properties; the most expensive group first. */
function summedBy<Name extends 'cause' | 'project' | 'week' | 'client_version'>(
  misses: readonly MissGroup[],
  name: Name,
) {
  const found = new Map<MissGroup[Name], { requests: number; missed_tokens: number; waste_usd: number }>()
  for (const { [name]: key, requests, missed_tokens: missed, waste_usd: waste } of misses) {
    const sum = found.get(key) ?? { requests: 0, missed_tokens: 0, waste_usd: 0 }
    sum.requests += requests
    sum.missed_tokens += missed
    sum.waste_usd += waste
    found.set(key, sum)
  }
  return [...found]
    .map(([key, sum]) => ({ ...({ [name]: key } as Pick<MissGroup, Name>), ...sum }))
    .toSorted((one, other) => other.waste_usd - one.waste_usd || other.missed_tokens - one.missed_tokens)
    .slice(0, MAX_GROUPS)
}
