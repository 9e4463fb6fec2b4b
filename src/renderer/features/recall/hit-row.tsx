import { Link } from '@tanstack/react-router'
import { Copy, Folder } from 'lucide-react'
import { memo } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { Button } from '../../components/button.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { formatExact, formatMoment, projectName } from '../../lib/format.ts'
import { copyHit } from './copy-hit.ts'
import { MatchType } from './match-type.tsx'
import { MemoryButton } from './memory-button.tsx'

interface HitRowProps {
  readonly hit: Hit
  readonly current: boolean
  readonly chosen: boolean
  readonly onChoose: (hit: Hit) => void
  readonly onPoint: (uuid: string) => void
}

/** Removes empty lines to save space in the list. */
const compact = (snippet: string): string => snippet.replaceAll(/\n\s*\n/g, '\n')

/** One hit: its kind, time, project, excerpt and matched words. */
export const HitRow = memo(function HitRow({ hit, current, chosen, onChoose, onPoint }: HitRowProps) {
  return (
    <li
      aria-current={current ? 'true' : undefined}
      ref={(element) => {
        if (current) element?.scrollIntoView({ block: 'nearest' })
      }}
      onPointerDown={() => onPoint(hit.uuid)}
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
        <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
          <MatchType type={hit.match_type} />
          <time className="text-meta text-faint" dateTime={hit.timestamp} title={formatExact(hit.timestamp)}>
            {formatMoment(hit.timestamp)}
          </time>
          <span className="flex min-w-0 items-center gap-1.5 text-meta text-faint" title={hit.project ?? undefined}>
            <Folder className="size-3.5 shrink-0" aria-hidden />
            <span className="truncate">{projectName(hit.project)}</span>
          </span>
          <span className="text-meta text-faint">turn {hit.turn_id}</span>
          {hit.matched.length > 0 && (
            <span
              className="ml-auto min-w-0 truncate text-meta text-faint"
              title="Words of your search found in this hit"
            >
              Matched: {hit.matched.join(', ')}
            </span>
          )}
        </div>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: hit.session_id }}
          search={{ event: hit.uuid, find: hit.matched.join(' ') }}
          tabIndex={-1}
          className="traffic mt-1 line-clamp-4 block leading-relaxed after:absolute after:inset-0"
        >
          <Snippet content={compact(hit.content)} />
        </Link>
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
