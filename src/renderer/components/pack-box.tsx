import { firstCharacters } from '../../shared/cut-text.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { isPacked, type PackedHit, togglePacked, usePack } from '../lib/pack-store.ts'

/** Adds a text to the pack of this tab, or removes it. */
export function PackBox({ hit, name }: { readonly hit: PackedHit; readonly name: string }) {
  const { hits } = usePack()
  return (
    // A target of 24 px.
    <label className="flex size-6 shrink-0 items-center justify-center">
      <input
        type="checkbox"
        aria-label={`Add to pack: ${firstCharacters(visibleText(name), 80)}`}
        checked={isPacked(hits, hit)}
        onChange={() => togglePacked(hit)}
        className="size-4 accent-(--accent)"
      />
    </label>
  )
}
