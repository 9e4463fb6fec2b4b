import { Package } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { pressGive } from '../../../components/give-button.tsx'
import { PackDrawer } from '../../../components/pack-drawer.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { usePack } from '../../../lib/pack-store.ts'

/** True if the pack is shown next to a session. */
export interface ShownPack {
  readonly count: number
  /** `auto`: opened by a change of the pack on this page, if there is room next to the transcript. */
  readonly shown: 'yes' | 'auto' | 'no'
  readonly toggle: () => void
}

/** Shows the pack once something is added to it here, or on request; a pack from elsewhere stays closed. */
export function useSessionPack(): ShownPack {
  const { hits } = usePack()
  const [atFirst] = useState(hits)
  const [chosen, setChosen] = useState<'yes' | 'no' | null>(null)
  const shown = hits.length === 0 ? 'no' : (chosen ?? (hits === atFirst ? 'no' : 'auto'))
  return { count: hits.length, shown, toggle: () => setChosen(shown === 'no' ? 'yes' : 'no') }
}

/** Opens and closes the pack. Hidden while it is empty. */
export function PackButton({ pack: { count, shown, toggle } }: { readonly pack: ShownPack }) {
  if (count === 0) return null
  return (
    <Button size="small" aria-expanded={shown !== 'no'} onClick={toggle} title="Show or hide the pack for Claude">
      <Package className="size-4" aria-hidden />
      Pack · {count}
    </Button>
  )
}

/** The pack next to the transcript, or below it in a narrow window; `c` copies it, `i` hands it to the session. */
export function SessionPack({ pack: { shown }, sessionId }: { readonly pack: ShownPack; readonly sessionId: string }) {
  useHotkeys({
    c: () => document.querySelector<HTMLButtonElement>('[data-copy-pack] button')?.click(),
    i: pressGive,
  })
  if (shown === 'no') return null
  return (
    <div
      className={`flex min-h-0 shrink-0 max-[1000px]:h-1/2 max-[1000px]:overflow-y-auto max-[1000px]:border-t max-[1000px]:*:min-h-96 max-[1000px]:*:w-full max-[1000px]:*:border-l-0 ${shown === 'auto' ? 'max-[1000px]:hidden' : ''}`}
    >
      <PackDrawer sessionId={sessionId} />
    </div>
  )
}
