import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { formatCount } from '../../lib/format.ts'
import type { BodyBlock } from './exchange-blocks.ts'

const FOLDED_CHARACTERS = 900
/** What one row shows at most: a page of text of a million characters helps nobody. */
const SHOWN_CHARACTERS = 60_000

interface BlockListProps {
  readonly label: string
  readonly blocks: readonly BodyBlock[]
  /** Begin at the end: the newest message says why a request was sent. */
  readonly empty: string
}

/** Blocks of a body, each as text; only those on screen exist in the page. */
export function BlockList({ label, blocks, empty }: BlockListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const virtualizer = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => 60 + Math.min(FOLDED_CHARACTERS, blocks[index]?.text.length ?? 0) / 5,
    getItemKey: (index) => blocks[index]?.key ?? index,
    overscan: 4,
    paddingStart: 8,
    paddingEnd: 32,
  })
  if (blocks.length === 0) return <p className="px-6 pt-12 text-center text-soft">{empty}</p>
  return (
    <ScrollRegion ref={scroller} label={label} className="min-h-0 flex-1 px-6">
      <ol className="relative mx-auto max-w-[80rem]" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const block = blocks[item.index]
          return (
            block && (
              <li
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0 pb-2"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <BlockRow
                  block={block}
                  open={open.has(block.key)}
                  onToggle={() =>
                    setOpen((now) => {
                      const next = new Set(now)
                      if (!next.delete(block.key)) next.add(block.key)
                      return next
                    })
                  }
                />
              </li>
            )
          )
        })}
      </ol>
    </ScrollRegion>
  )
}

function BlockRow({ block, open, onToggle }: { block: BodyBlock; open: boolean; onToggle: () => void }) {
  const long = block.text.length > FOLDED_CHARACTERS
  const text = block.text.slice(0, open ? SHOWN_CHARACTERS : FOLDED_CHARACTERS)
  return (
    <article className="rounded-medium border bg-surface px-4 py-2.5">
      <header className="flex min-w-0 items-center gap-2 text-meta">
        <span className="truncate font-semibold">{block.owner}</span>
        <Badge>{block.type.replaceAll('_', ' ')}</Badge>
        {block.cached && <Badge title="The prompt cache is asked to keep everything up to here">cache mark</Badge>}
        <span className="ml-auto shrink-0 text-faint">≈ {formatCount(Math.ceil(block.text.length / 4))} tokens</span>
        <CopyButton
          text={block.text}
          said={`Copied this ${block.type.replaceAll('_', ' ')}: ${formatCount(block.text.length)} characters`}
          name="Copy this block"
          size="icon-small"
        />
      </header>
      <p className="traffic mt-1 font-mono text-meta leading-relaxed">
        {text}
        {long && !open && '…'}
      </p>
      {long && (
        <Button look="ghost" size="small" className="mt-1" aria-expanded={open} onClick={onToggle}>
          {open ? 'Show less' : `Show all ${formatCount(block.text.length)} characters`}
        </Button>
      )}
      {open && block.text.length > SHOWN_CHARACTERS && (
        <p className="text-meta text-warn">
          The first {formatCount(SHOWN_CHARACTERS)} characters are shown; copy the block to have all.
        </p>
      )}
    </article>
  )
}
