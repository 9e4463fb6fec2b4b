import { formatCount, formatShare } from '../../lib/format.ts'
import { type PartSize, PART_NAMES } from './context-parts.ts'

const HUES = 5

/** Returns the color of the part at this rank by size: five hues, then paler ones, so that neighbors differ. */
function partColor(rank: number): string {
  const hue = `var(--chart-${(rank % HUES) + 1})`
  return rank < HUES ? hue : `color-mix(in srgb, ${hue} 45%, var(--line-strong))`
}

/** The parts of the context as one bar, with a legend of names and sizes. */
export function ContextFill({ parts }: { parts: readonly PartSize[] }) {
  const bySize = [...parts].sort((one, other) => other.characters - one.characters)
  const colorOf = (part: PartSize) => partColor(bySize.indexOf(part))
  return (
    <div>
      <div className="flex h-4 overflow-hidden rounded-small bg-hover" aria-hidden>
        {bySize.map((part) => (
          <span
            key={part.part}
            className="h-full border-r border-surface last:border-0"
            style={{ width: `${part.share * 100}%`, background: colorOf(part) }}
            title={`${PART_NAMES[part.part]}: ≈ ${formatCount(part.tokens)} tokens, ${formatShare(part.share)}`}
          />
        ))}
      </div>
      <dl className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-x-6 gap-y-1 text-small">
        {bySize.map((part) => (
          <div key={part.part} className="flex items-center gap-2">
            <span className="size-2.5 rounded-[0.2rem]" style={{ background: colorOf(part) }} aria-hidden />
            <dt className="truncate text-soft">{PART_NAMES[part.part]}</dt>
            <dd className="ml-auto shrink-0">
              ≈ {formatCount(part.tokens)}{' '}
              <span className="inline-block w-11 text-right text-faint">{formatShare(part.share)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
