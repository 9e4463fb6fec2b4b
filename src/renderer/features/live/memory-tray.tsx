import { Link } from '@tanstack/react-router'
import { FoldVertical, X } from 'lucide-react'
import { keptMessages } from '../../../shared/kept-messages.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { droppedHit, droppedInput, type DroppedText, hitsToCopy } from '../../lib/dropped.ts'
import { formatMoment } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useOperation } from '../../lib/operation.ts'
import { usePack } from '../../lib/pack-store.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { GiveButton, pressGive } from '../../components/give-button.tsx'
import { PackBox } from '../../components/pack-box.tsx'
import { packToCopy } from '../../lib/pack-to-copy.ts'
import { toSession } from '../../lib/places.ts'

/** Lost texts on the card; the session shows all of them. */
const SHOWN = 3

interface MemoryTrayProps {
  readonly compaction: { readonly uuid: string; readonly session_id: string; readonly ts_wall: string }
  readonly title: string
  readonly onClose: () => void
}

/** Says what a compaction lost, decisions first, with boxes for the pack of this tab; `c` copies them, `i` gives them to Claude. */
export function MemoryTray({ compaction, title, onClose }: MemoryTrayProps) {
  const { uuid, session_id: sessionId, ts_wall: time } = compaction
  const { data } = useOperation('compactions.dropped', droppedInput(uuid))
  const pack = usePack()
  useHotkeys({
    c: () => document.querySelector<HTMLButtonElement>('[data-copy-tray] button')?.click(),
    i: pressGive,
  })
  if (data === undefined) return null
  const lost = mostImportant(data.items)
  // Without a choice, what the card shows. Hits of other searches stay in the pack and out of this.
  const { hits, noun } = hitsToCopy({ items: data.items, files: [], outputs: [] }, lost, pack.hits)
  const chosen = { ...pack, hits }
  return (
    <section
      aria-label="Compacted"
      className="rounded-medium border border-dashed border-k-compaction/60 bg-surface p-3.5"
    >
      <div className="flex items-center gap-2 text-meta">
        <FoldVertical className="size-4 shrink-0 text-k-compaction" aria-hidden />
        <span className="font-medium text-k-compaction">Compacted</span>
        <span className="text-faint">{formatMoment(time)}</span>
        <Button look="ghost" size="icon-small" className="ml-auto" aria-label="Close this card" onClick={onClose}>
          <X className="size-4" aria-hidden />
        </Button>
      </div>
      <p className="traffic mt-1 line-clamp-2 font-medium">{visibleText(title)}</p>
      <Link {...toSession(sessionId, { event: uuid })} className="mt-1 block text-small hover:underline">
        {keptMessages(data)}
      </Link>
      <ul className="mt-2 flex flex-col gap-1">
        {lost.map((item) => (
          <li key={item.uuid} className="flex items-start gap-1.5 text-small text-soft">
            <PackBox hit={droppedHit(item)} name={item.content} />
            <span className="traffic min-w-0 pt-0.5">{visibleText(item.lost.join(' '))}</span>
          </li>
        ))}
      </ul>
      {chosen.hits.length > 0 && (
        <div className="mt-2.5 flex flex-wrap items-center gap-2 border-t pt-2.5" data-copy-tray>
          <CopyButton
            size="small"
            look="plain"
            label={`Copy ${chosen.hits.length}${noun === 'checked hit' ? ' checked' : ''}`}
            load={() => packToCopy(chosen, { noun })}
          />
          <GiveButton size="small" sessionId={sessionId} pack={chosen} />
          <span className="text-meta text-faint">
            <kbd>c</kbd> copies, <kbd>i</kbd> gives them with your next prompt
          </span>
        </div>
      )}
    </section>
  )
}

/** Decisions and prompts before answers and thoughts. */
function mostImportant(items: readonly DroppedText[]): readonly DroppedText[] {
  const order = ['decision', 'prompt', 'answer', 'thought']
  return items
    .filter(({ lost }) => lost.length > 0)
    .toSorted((one, other) => order.indexOf(one.group) - order.indexOf(other.group))
    .slice(0, SHOWN)
}
