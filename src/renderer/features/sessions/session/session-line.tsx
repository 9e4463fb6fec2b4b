import { useMemo } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { type Sentence, Sentences } from '../../../components/sentences.tsx'
import { costSentence, largestCause } from '../../../lib/cost-sentence.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useCacheMisses } from '../../../lib/use-cache-misses.ts'
import { toSession } from '../../../lib/places.ts'

/** Sessions of the project that say what is usual. */
const OTHERS = 50

/** Says what a session cost, how that compares with its project's others, and what most of the avoidable part was. */
export function SessionLine({ session }: { readonly session: OperationOutput<'sessions.get'> }) {
  const { id, project, total_cost_usd: spent } = session
  const { data: others } = useOperation(
    'sessions.list',
    { project: project ?? undefined, limit: OTHERS },
    { enabled: project !== null },
  )
  const { all } = useCacheMisses(id)
  const causes = useMemo(
    () =>
      [...Map.groupBy(all, ({ cause }) => cause.kind)].map(([cause, misses]) => ({
        cause,
        requests: misses.length,
        waste_usd: misses.reduce((sum, { waste_usd: usd }) => sum + (usd ?? 0), 0),
      })),
    [all],
  )
  const usual = (others?.items ?? []).filter((other) => other.id !== id).map(({ total_cost_usd: usd }) => usd)
  const cost = costSentence('This session', spent, usual)
  if (cost === null || (project !== null && others === undefined)) return null
  const cause = largestCause(spent, causes)
  const to = (tab: 'numbers' | 'requests') => toSession(id, { tab })
  return (
    <Sentences
      className="basis-full text-small text-soft max-[700px]:order-4"
      sentences={[
        { text: cost, links: [['This session', to('numbers')]] },
        ...(cause === null ? [] : [{ text: cause.text, links: [[cause.happened, to('requests')]] } satisfies Sentence]),
      ]}
    />
  )
}
