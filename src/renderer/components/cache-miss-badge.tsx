import { causeLabel, causeNote } from '../../shared/cache-causes.ts'
import { formatCost, plural } from '../lib/format.ts'
import { Badge } from './badge.tsx'

interface CacheMissBadgeProps {
  readonly misses: readonly {
    readonly missed_tokens: number
    readonly waste_usd: number | null
    readonly cause: { readonly kind: string; readonly where: string | null; readonly detail: string | null }
  }[]
}

const inSentence = (label: string) => `${label.charAt(0).toLowerCase()}${label.slice(1)}`

/** Marks a request or a turn that missed the prompt cache, with the cause and the waste. Renders nothing without misses. */
export function CacheMissBadge({ misses }: CacheMissBadgeProps) {
  const first = misses[0]
  if (first === undefined) return null
  const priced = misses.filter(({ waste_usd: waste }) => waste !== null)
  const waste = priced.length === 0 ? null : priced.reduce((sum, miss) => sum + (miss.waste_usd ?? 0), 0)
  const missed = misses.reduce((sum, miss) => sum + miss.missed_tokens, 0)
  const label = misses.length === 1 ? inSentence(causeLabel(first.cause.kind)) : `${misses.length} cache misses`
  const notes = misses
    .slice(0, 5)
    .map(({ cause }) => [causeLabel(cause.kind), causeNote(cause)].filter((text) => text !== '').join(': '))
  return (
    <Badge
      tone="warn"
      title={[`${plural(missed, 'token')} not read from the cache, and what that cost`, ...notes].join('\n')}
    >
      <span className="min-w-0 truncate max-[1000px]:sr-only">
        {misses.length === 1 && <span className="max-[1600px]:sr-only">Cache miss: </span>}
        {waste === null ? label : `${label} · ${formatCost(waste)}`}
      </span>
      <span className="min-[1000px]:hidden" aria-hidden>
        {misses.length === 1 ? 'Miss' : `${misses.length} misses`}
      </span>
    </Badge>
  )
}
