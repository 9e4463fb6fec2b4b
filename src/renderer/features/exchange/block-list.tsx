import { useState } from 'react'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import { columnDollars } from '../../lib/axis.ts'
import { formatCount, plural } from '../../lib/format.ts'
import type { BodyBlock } from './exchange-blocks.ts'

const FOLDED_CHARACTERS = 900
/** What the client adds to each prompt is shown by its beginning. */
const FOLDED_REMINDER = 120
/** Limits the size of a rendered row; a million characters would freeze the page. */
const SHOWN_CHARACTERS = 60_000

interface BlockListProps {
  readonly label: string
  readonly blocks: readonly BodyBlock[]
  /** Shown when there are no blocks. */
  readonly empty: string
  /** Cost of blocks while they were carried, by position. */
  readonly costs?: ReadonlyMap<number, BlockCost> | undefined
  /** Default: four characters each. */
  readonly tokensPerCharacter?: number
}

/** Cost of a block while it was carried. */
export interface BlockCost {
  readonly usd: number
  readonly requests: number
}

/** The blocks of a request or response as text. Renders only the blocks on screen. */
export function BlockList({ label, blocks, empty, costs, tokensPerCharacter = 1 / 4 }: BlockListProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpen((now) => {
      const next = new Set(now)
      if (!next.delete(key)) next.add(key)
      return next
    })
  const dollars = columnDollars([...(costs?.values() ?? [])].map(({ usd }) => usd))
  if (blocks.length === 0) return <p className="px-6 pt-12 text-center text-soft">{empty}</p>
  return (
    <VirtualList
      label={label}
      items={blocks}
      keyOf={(block) => block.key}
      estimate={(block) => 60 + Math.min(FOLDED_CHARACTERS, block.text.length) / 5}
      overscan={4}
      paddingStart={8}
      paddingEnd={32}
      className="min-h-0 flex-1 px-6"
      listClassName="mx-auto max-w-[80rem]"
      rowProps={() => ({ className: 'pb-2' })}
    >
      {(block) => (
        <BlockRow
          block={block}
          cost={block.position === undefined ? undefined : costs?.get(block.position)}
          dollars={dollars}
          tokens={Math.ceil(block.text.length * tokensPerCharacter)}
          open={open.has(block.key)}
          onToggle={() => toggle(block.key)}
        />
      )}
    </VirtualList>
  )
}

interface BlockRowProps {
  readonly block: BodyBlock
  readonly cost: BlockCost | undefined
  /** Formats the costs of all blocks with one precision. */
  readonly dollars: (usd: number | null) => string
  /** An estimate. */
  readonly tokens: number
  readonly open: boolean
  readonly onToggle: () => void
}

function BlockRow({ block, cost, dollars, tokens, open, onToggle }: BlockRowProps) {
  const folded = block.text.startsWith('<system-reminder>') ? FOLDED_REMINDER : FOLDED_CHARACTERS
  const long = block.text.length > folded
  const text = firstCharacters(block.text, open ? SHOWN_CHARACTERS : folded)
  return (
    <article className="rounded-medium border bg-surface px-4 py-2.5">
      <header className="flex min-w-0 flex-wrap items-center gap-x-2 text-meta">
        <span className="font-semibold">{block.owner}</span>
        <Badge>{block.type.replaceAll('_', ' ')}</Badge>
        {block.cached && (
          <Badge title="cache_control: the prompt cache keeps everything up to here">cache breakpoint</Badge>
        )}
        {cost !== undefined && (
          <span className="ml-auto shrink-0 tabular-nums" title="What it cost in all requests that carried it">
            {dollars(cost.usd)} in {plural(cost.requests, 'request')}
          </span>
        )}
        <span className={`${cost === undefined ? 'ml-auto' : 'max-[560px]:hidden'} shrink-0 text-faint`}>
          ≈ {formatCount(tokens)} tokens
        </span>
        <CopyButton
          text={block.text}
          notice={`Copied this ${block.type.replaceAll('_', ' ')}: ${formatCount(block.text.length)} characters`}
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
          Showing the first {formatCount(SHOWN_CHARACTERS)} characters. Copy the block to get all of it.
        </p>
      )}
    </article>
  )
}
