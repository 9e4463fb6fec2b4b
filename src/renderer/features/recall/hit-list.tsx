import { Search } from 'lucide-react'
import { Fragment } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Empty } from '../../components/states.tsx'
import { plural, projectName } from '../../lib/format.ts'
import { isPacked, type PackedHit } from '../../lib/pack-store.ts'
import { type FoldedHit, shownHits } from './fold-hits.ts'
import { HitRow } from './hit-row.tsx'

interface HitListProps {
  /** Hits with those folded into them. */
  readonly folds: readonly FoldedHit[]
  /** uuids of the folds that are open. */
  readonly open: ReadonlySet<string>
  readonly onFold: (uuid: string) => void
  /** Hits of one session are adjacent and get a heading. */
  readonly isGrouped: boolean
  readonly currentId: string | null
  readonly chosen: readonly PackedHit[]
  readonly onChoose: (hit: Hit) => void
  readonly onPoint: (uuid: string) => void
  readonly onHover: (uuid: string | null) => void
}

const NONE: readonly Hit[] = []

/** The hits of a search, or suggestions if there are none. */
export function HitList(props: HitListProps) {
  const { folds, open, onFold, isGrouped, currentId, chosen, onChoose, onPoint, onHover } = props
  if (folds.length === 0) {
    return (
      <Empty icon={Search} title="No matches">
        <p>Try fewer or different words, or a longer range. Turn on Tools to search tool inputs and outputs too.</p>
      </Empty>
    )
  }
  const hits = shownHits(folds, open)
  const similar = new Map(folds.map(({ hit, same }) => [hit.uuid, same]))
  return (
    <ol className="flex flex-col gap-1" aria-label="Hits">
      {hits.map((hit, index) => (
        <Fragment key={hit.uuid}>
          {isGrouped && hits[index - 1]?.session_id !== hit.session_id && <SessionHeading hit={hit} folds={folds} />}
          <HitRow
            hit={hit}
            current={hit.uuid === currentId}
            chosen={isPacked(chosen, hit)}
            similar={similar.get(hit.uuid) ?? NONE}
            isUnfolded={open.has(hit.uuid)}
            onFold={onFold}
            isUnderSession={isGrouped}
            onChoose={onChoose}
            onPoint={onPoint}
            onHover={onHover}
          />
        </Fragment>
      ))}
    </ol>
  )
}

function SessionHeading({ hit, folds }: { hit: Hit; folds: readonly FoldedHit[] }) {
  const count = folds.filter((fold) => fold.hit.session_id === hit.session_id).length
  return (
    <li className="label mt-3 flex min-w-0 items-baseline gap-2 px-4 first:mt-0">
      <span className="min-w-0 truncate font-semibold text-soft">
        {hit.session_title === undefined ? projectName(hit.project) : visibleText(hit.session_title)}
      </span>
      {hit.session_title !== undefined && <span className="shrink-0">{projectName(hit.project)}</span>}
      <span className="shrink-0 font-mono">{hit.session_id.slice(0, 8)}</span>
      <span className="shrink-0">{plural(count, 'hit')}</span>
    </li>
  )
}
