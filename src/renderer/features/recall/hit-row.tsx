import { Link } from '@tanstack/react-router'
import { Copy, Folder } from 'lucide-react'
import { memo } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { describeMatch, placeOfCopy } from '../../../shared/hit-words.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { excerptOf } from '../../lib/snippet.ts'
import { plural, projectName } from '../../lib/format.ts'
import { copyHit } from './copy-hit.ts'
import { MatchType } from './match-type.tsx'
import { MemoryButton } from './memory-button.tsx'
import { toSession } from '../../lib/places.ts'
import { Moment } from '../../components/moment.tsx'

interface HitRowProps {
  readonly hit: Hit
  readonly current: boolean
  readonly chosen: boolean
  /** Further hits with nearly the same text, and whether they are shown. */
  readonly similar: readonly Hit[]
  readonly isUnfolded: boolean
  readonly onFold: (uuid: string) => void
  /** Its session is named above it. */
  readonly isUnderSession: boolean
  readonly onChoose: (hit: Hit) => void
  readonly onPoint: (uuid: string) => void
  /** The pointer is over the hit (its uuid) or has left it (null). */
  readonly onHover: (uuid: string | null) => void
}

/** One hit: its kind, time, project, excerpt and matched words. */
export const HitRow = memo(function HitRow(props: HitRowProps) {
  const { hit, current, chosen, similar, isUnfolded, onFold, isUnderSession, onChoose, onPoint, onHover } = props
  return (
    <li
      aria-current={current ? 'true' : undefined}
      ref={(element) => {
        if (current) element?.scrollIntoView({ block: 'nearest' })
      }}
      onPointerDown={() => onPoint(hit.uuid)}
      onPointerEnter={() => onHover(hit.uuid)}
      onPointerLeave={() => onHover(null)}
      className={`relative flex scroll-my-3 gap-3 rounded-medium border px-4 py-3 ${
        current ? 'border-accent bg-surface' : 'border-transparent hover:bg-surface'
      } ${chosen ? 'bg-accent-tint' : ''}`}
    >
      <input
        type="checkbox"
        checked={chosen}
        onChange={() => onChoose(hit)}
        aria-label="Add to pack"
        title="Add to pack (space)"
        className="relative z-10 mt-1 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0 flex-1">
        <div className="fade-end flex min-w-0 items-center gap-x-4 whitespace-nowrap max-[700px]:gap-x-2.5">
          <MatchType type={hit.match_type} />
          <Moment at={hit.timestamp} className="text-meta text-faint" />
          <span className="flex min-w-12 items-center gap-1.5 text-meta text-faint" title={hit.project ?? undefined}>
            <Folder className="size-3.5 shrink-0" aria-hidden />
            <span className="truncate">{projectName(hit.project)}</span>
          </span>
          <span className="text-meta text-faint max-[560px]:hidden">turn {hit.turn_id}</span>
          <span className="text-meta text-faint empty:hidden">{describeMatch(hit)}</span>
          {!isUnderSession && hit.session_title !== undefined && (
            <span
              className="min-w-0 flex-1 truncate text-meta text-soft max-[700px]:hidden"
              title={visibleText(hit.session_title)}
            >
              {visibleText(hit.session_title)}
            </span>
          )}
        </div>
        <Link
          {...toSession(hit.session_id, { event: hit.uuid, find: hit.matched.join(' ') })}
          tabIndex={-1}
          className="traffic mt-1 line-clamp-4 leading-relaxed after:absolute after:inset-0"
        >
          <Snippet content={excerptOf(hit)} />
        </Link>
        {hit.copies !== undefined && <Copies hit={hit} copies={hit.copies} />}
        {similar.length > 0 && (
          <Button
            look="ghost"
            size="small"
            aria-expanded={isUnfolded}
            className="relative z-10 mt-1 -ml-2.5"
            title="Hits that say nearly the same"
            onClick={() => onFold(hit.uuid)}
          >
            {isUnfolded
              ? 'Hide similar hits'
              : `Show ${plural(similar.length, 'similar hit')}${whereElse(similar, hit)}`}
          </Button>
        )}
      </div>
      <span className="relative z-10 flex shrink-0 flex-col">
        <MemoryButton uuid={hit.uuid} on={hit.remembered === true} />
        <Button
          look="ghost"
          size="icon"
          aria-label="Copy this hit"
          title="Copy the whole text (c)"
          onClick={() => void copyHit(hit)}
        >
          <Copy className="size-4" aria-hidden />
        </Button>
      </span>
    </li>
  )
})

/** Says in which other sessions hits are, as those of a fork are: ` in “Mend the tides”`, `, also in 3 other sessions`. */
function whereElse(similar: readonly Hit[], { session_id: own }: Hit): string {
  const others = new Map(similar.map(({ session_id: id, session_title: title }) => [id, title ?? id.slice(0, 8)]))
  const lead = others.delete(own) ? ', also in' : ' in'
  const [first] = others.values()
  if (first === undefined) return ''
  return `${lead} ${others.size === 1 ? `“${visibleText(first)}”` : `${others.size} other sessions`}`
}

/** Links to further texts that say the same, as those of a fork do. */
function Copies({ hit, copies }: { readonly hit: Hit; readonly copies: number }) {
  const { copies_in: named = [], session_id: own } = hit
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 text-meta text-faint">
      also
      {named.map((copy) => (
        <Link
          key={copy.uuid}
          {...toSession(copy.session_id, { event: copy.uuid })}
          className="relative z-10 text-accent hover:underline"
        >
          {placeOfCopy(copy, own)}
        </Link>
      ))}
      {copies > named.length && <span>{copies - named.length} more</span>}
    </p>
  )
}
