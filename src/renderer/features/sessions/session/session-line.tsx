import { useMemo } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { type Sentence, Sentences } from '../../../components/sentences.tsx'
import { costSentence, largestBlock, largestCause } from '../../../lib/cost-sentence.ts'
import { projectName } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useCacheMisses } from '../../../lib/use-cache-misses.ts'
import { toExchange, toSession } from '../../../lib/places.ts'

/** Earlier sessions of the project that say what is usual, so that the figure stays once the next has begun. */
const OTHERS = 50

/** Blocks of a session among which the one to name is looked for: those that only the client can change are passed over. */
const BLOCKS = 20

/** Says what a session cost, how that compares with its project's others, and its largest cause: a block or cache misses. */
export function SessionLine({ session }: { readonly session: OperationOutput<'sessions.get'> }) {
  const { id, project, started_at: started, total_cost_usd: spent } = session
  const { data: others } = useOperation(
    'sessions.list',
    { project: project ?? undefined, limit: OTHERS, active_before: started },
    { enabled: project !== null },
  )
  const { all } = useCacheMisses(id)
  const { data: carried } = useOperation('carry.session', { session_id: id, limit: BLOCKS }, { enabled: spent > 0 })
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
  const cost = costSentence('This session', spent, usual, `for a session in ${projectName(project)}`)
  if (cost === null || (project !== null && others === undefined)) return null
  const [missed, block] = [largestCause(spent, causes), largestBlock(spent, carried?.items ?? [])]
  const to = (tab: 'numbers' | 'requests') => toSession(id, { tab })
  const cause: Sentence | null =
    block !== null && block.usd > (missed?.usd ?? 0)
      ? {
          text: block.text,
          links: [
            [
              block.noun,
              block.block.entered.exchange === null ? to('numbers') : toExchange(block.block.entered.exchange, {}),
            ],
            [block.turn, toSession(id, { turn: String(block.block.turn_id) })],
          ],
        }
      : missed && { text: missed.text, links: [[missed.happened, to('requests')]] }
  return (
    <Sentences
      className="while-at-top basis-full text-small text-soft max-[700px]:text-meta"
      sentences={[{ text: cost, links: [['This session', to('numbers')]] }, ...(cause === null ? [] : [cause])]}
    />
  )
}
