import { Search } from 'lucide-react'
import { Fragment } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { Empty } from '../../components/states.tsx'
import { plural, projectName } from '../../lib/format.ts'
import { isPacked, type PackedHit } from '../../lib/pack-store.ts'
import { HitRow } from './hit-row.tsx'

interface HitListProps {
  readonly hits: readonly Hit[]
  /** Hits of one session are adjacent and get a heading. */
  readonly isGrouped: boolean
  readonly currentId: string | null
  readonly chosen: readonly PackedHit[]
  readonly onChoose: (hit: Hit) => void
  readonly onPoint: (uuid: string) => void
}

/** The hits of a search, or what to try if there are none. */
export function HitList({ hits, isGrouped, currentId, chosen, onChoose, onPoint }: HitListProps) {
  if (hits.length === 0) {
    return (
      <Empty icon={Search} title="No matches">
        <p>Try fewer or different words, or a longer range. Turn on Tools to search tool inputs and outputs too.</p>
      </Empty>
    )
  }
  return (
    <ol className="flex flex-col gap-1" aria-label="Hits">
      {hits.map((hit, index) => (
        <Fragment key={hit.uuid}>
          {isGrouped && hits[index - 1]?.session_id !== hit.session_id && (
            <li className="label mt-3 flex items-baseline gap-2 px-4 first:mt-0">
              <span className="font-semibold text-soft">{projectName(hit.project)}</span>
              <span className="font-mono">{hit.session_id.slice(0, 8)}</span>
              <span>{plural(hits.filter((other) => other.session_id === hit.session_id).length, 'hit')}</span>
            </li>
          )}
          <HitRow
            hit={hit}
            current={hit.uuid === currentId}
            chosen={isPacked(chosen, hit)}
            onChoose={onChoose}
            onPoint={onPoint}
          />
        </Fragment>
      ))}
    </ol>
  )
}
