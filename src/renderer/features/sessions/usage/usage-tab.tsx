import { Link } from '@tanstack/react-router'
import { Hash } from 'lucide-react'
import { turnsTable } from '../../../../shared/columns/usage.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { CacheMissBadge } from '../../../components/cache-miss-badge.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Card, PageBody } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { Table } from '../../../components/table.tsx'
import { formatCount, formatMoment, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useCacheMisses } from '../../../lib/use-cache-misses.ts'
import { ContextChart, contextNote } from './context-chart.tsx'
import { ReconcileCard } from './reconcile-card.tsx'
import { barsTitle, turnsWithout } from './turn-bars.ts'
import { TurnCostChart } from './turn-cost-chart.tsx'
import { WorkCards } from './work-cards.tsx'
import { toSession } from '../../../lib/places.ts'

interface UsageTabProps {
  readonly sessionId: string
  readonly onTurn: (turn: number) => void
}

const MAX_LINKS = 12
const MAX_TURNS = 50

/**
 * Cost and context by turn, tasks, agents, and a comparison of the sources. Each card appears as soon as its data
 * arrives.
 */
export function UsageTab({ sessionId, onTurn }: UsageTabProps) {
  return (
    <section aria-label="Usage" className="flex min-w-0 flex-1 flex-col pt-5">
      <PageBody>
        <UsageCards sessionId={sessionId} onTurn={onTurn} />
        <WorkCards sessionId={sessionId} />
        <ReconcileCard sessionId={sessionId} />
      </PageBody>
    </section>
  )
}

function UsageCards({ sessionId, onTurn }: UsageTabProps) {
  const query = useOperation('sessions.usage', { session_id: sessionId })
  const empty = query.data?.turns.length === 0 && (
    <Empty icon={Hash} title="No usage recorded">
      <p>Tokens and cost appear with the first answer from the API.</p>
    </Empty>
  )
  return loaded({ query, rows: 10, label: 'Loading usage', empty }, (data) => (
    <>
      <Card title="Context" note={contextNote(data)}>
        <ContextChart usage={data} />
        {data.compactions.length > 0 && (
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-5 pb-4 text-small text-soft">
            Compactions:
            {data.compactions.slice(-MAX_LINKS).map(({ uuid, timestamp }) => (
              <Link
                key={uuid}
                {...toSession(sessionId, { event: uuid })}
                title="See what was dropped"
                className="text-accent hover:underline"
              >
                {formatMoment(timestamp)}, what was dropped
              </Link>
            ))}
          </p>
        )}
      </Card>
      <Card title={barsTitle(data.turns)} note="API list price; choose a turn below to see its timeline">
        <TurnCostChart turns={data.turns} />
      </Card>
      <Card title="Turns" note="most expensive first">
        <TurnTable
          sessionId={sessionId}
          turns={data.turns}
          hasCompactions={data.compactions.length > 0}
          onTurn={onTurn}
        />
      </Card>
    </>
  ))
}

interface TurnTableProps {
  readonly sessionId: string
  readonly turns: OperationOutput<'sessions.usage'>['turns']
  readonly hasCompactions: boolean
  readonly onTurn: (turn: number) => void
}

function TurnTable({ sessionId, turns, hasCompactions, onTurn }: TurnTableProps) {
  const misses = useCacheMisses(sessionId)
  const session = useOperation('sessions.get', { session_id: sessionId }).data
  const without = session === undefined ? [] : turnsWithout(turns, session.joined_turns)
  // Not every API reports them.
  const hasWrites = turns.some(({ cache_creation_tokens: written }) => written > 0)
  const byCost = turns
    .toSorted((one, other) => (other.cost_usd ?? 0) - (one.cost_usd ?? 0))
    .slice(0, MAX_TURNS)
    .map((turn) => ({ ...turn, cache_creation_tokens: hasWrites ? turn.cache_creation_tokens : null }))
  return (
    <>
      <Table
        columns={turnsTable}
        rows={byCost}
        keyOf={(turn) => turn.turn_id}
        minWidth="min-[700px]:min-w-[46rem]"
        isLink
        cells={{
          turn: ({ turn_id: turn }, text) => (
            <>
              <button type="button" onClick={() => onTurn(turn)} className="font-medium after:absolute after:inset-0">
                {text}
              </button>
              <span className="ml-2 inline-flex max-w-full align-middle">
                <CacheMissBadge misses={misses.ofTurn(turn)} />
              </span>
            </>
          ),
        }}
      />
      {without.length > 0 && (
        <p className="px-5 pb-3 text-meta text-faint">
          No request: {without.length <= MAX_LINKS ? `turn ${without.join(', ')}` : plural(without.length, 'turn')}.
          {hasCompactions && ' The request of /compact counts in the turn before it.'}
        </p>
      )}
      {turns.length > byCost.length && (
        <p className="px-5 pb-3 text-meta text-faint">
          The {byCost.length} most expensive of {formatCount(turns.length)} turns
        </p>
      )}
    </>
  )
}
