import { visibleText } from '../../../shared/visible-text.ts'
import { useQuery } from '@tanstack/react-query'
import { Package } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Segments } from '../../components/segments.tsx'
import { Failed, LoadingRows } from '../../components/states.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { type PackedHit, packQuery, turnsOf } from './queries.ts'

const BUDGETS = [1000, 4000, 16_000] as const

/** The selected hits as one text to copy, with its size in tokens. */
export function PackDrawer({ hits, onClear }: { hits: readonly PackedHit[]; onClear: () => void }) {
  const [of, setOf] = useState<'hits' | 'turns'>('hits')
  const [budget, setBudget] = useState<number>(4000)
  const { data: pack, error, refetch, isPlaceholderData } = useQuery(packQuery(hits, of === 'turns', budget))
  const chosen = of === 'turns' ? plural(turnsOf(hits).length, 'turn') : plural(hits.length, 'hit')
  const noun = of === 'turns' ? 'text' : 'hit'
  return (
    <aside aria-label="Pack" className="flex min-h-0 w-[clamp(18rem,30vw,34rem)] flex-col border-l bg-surface">
      <div className="flex items-center gap-2 px-5 pt-4 pb-2">
        <Package className="size-4 text-accent" aria-hidden />
        <h2 className="font-semibold">Pack</h2>
        <span className="text-meta text-faint" role="status">
          {chosen}
          {pack && ` · about ${formatCount(pack.tokens)} tokens`}
        </span>
        <Button look="ghost" size="small" className="ml-auto" onClick={onClear} title="Clear the pack (Esc)">
          Clear
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2 px-5 pb-3" data-copy-pack>
        <CopyButton
          look="primary"
          label="Copy pack"
          text={pack?.text ?? ''}
          notice={`Copied the pack: ${plural(pack?.included ?? 0, noun)}, about ${formatCount(pack?.tokens ?? 0)} tokens`}
        />
        <select
          aria-label="Maximum pack size"
          value={budget}
          onChange={(event) => setBudget(Number(event.target.value))}
          className="ml-auto h-8 min-w-0 rounded-small border border-line-strong bg-surface px-2 text-meta text-soft"
        >
          {BUDGETS.map((tokens) => (
            <option key={tokens} value={tokens}>
              ≤ {tokens.toLocaleString('en-US')} tokens
            </option>
          ))}
        </select>
        <Segments
          label="Pack content"
          options={[
            { value: 'hits', name: 'Hits', title: 'Only the selected hits' },
            { value: 'turns', name: 'Turns', title: 'The whole turn of each selected hit' },
          ]}
          value={of}
          onChange={setOf}
        />
      </div>
      {pack !== undefined && pack.omitted > 0 && (
        <p className="mx-5 mb-3 rounded-small bg-warn-soft px-3 py-2 text-meta text-warn">
          {plural(pack.omitted, noun)} did not fit. Raise the token limit or select fewer hits.
        </p>
      )}
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : pack === undefined ? (
        <LoadingRows rows={5} />
      ) : (
        <pre
          // The keyboard scrolls the element that has the focus.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label="Pack text"
          className={`traffic min-h-0 flex-1 overflow-y-auto border-t bg-sunken px-5 py-4 font-mono text-meta leading-relaxed ${isPlaceholderData ? 'awaited' : ''}`}
        >
          {visibleText(pack.text)}
        </pre>
      )}
    </aside>
  )
}
