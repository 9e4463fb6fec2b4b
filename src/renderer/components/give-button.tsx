import { useQueryClient } from '@tanstack/react-query'
import { MessageSquarePlus } from 'lucide-react'
import { firstCharacters } from '../../shared/cut-text.ts'
import { call } from '../lib/client.ts'
import { plural } from '../lib/format.ts'
import { notify, notifyFailure } from '../lib/notices.ts'
import { useNow } from '../lib/live/live-context.tsx'
import { useOperation } from '../lib/operation.ts'
import type { Pack } from '../lib/pack-store.ts'
import { packToCopy } from '../lib/pack-to-copy.ts'
import { Button, type ButtonSize } from './button.tsx'
import { copyText } from './copy-button.tsx'
import { Menu } from './menu.tsx'

/** Sessions active since then may get texts, in ms. */
const ACTIVE_MS = 30 * 60_000

/** Hands the texts of a pack to the model of a session. Copies them if no hooks of the session are known. */
async function giveTexts(sessionId: string, pack: Pack): Promise<void> {
  const uuids = pack.hits.map(({ uuid }) => uuid)
  const { given, hooked } = await call('notices.give', { session_id: sessionId, uuids })
  if (hooked) {
    const { title, last_event_at: last, ended_at: ended } = await call('sessions.get', { session_id: sessionId })
    const full = title ?? sessionId
    const name = `“${firstCharacters(full, 60)}${full.length > 60 ? '…' : ''}”`
    const isActive = ended === null && Date.now() - Date.parse(last) < ACTIVE_MS
    const when = isActive ? 'with your next prompt' : 'once you continue it'
    notify(
      `${name} gets ${plural(given, 'text')} ${when}. Recall lists ${given === 1 ? 'it' : 'them'} under Remembered.`,
    )
    return
  }
  const { text, notice } = await packToCopy(pack)
  await copyText(text, `${notice}. This session sends no hooks, so paste it there.`)
}

/** Returns a function that hands a pack to a session and refreshes what is remembered. */
function useGive(pack: Pack): (sessionId: string) => void {
  const queries = useQueryClient()
  return (sessionId) =>
    void giveTexts(sessionId, pack)
      .then(() => queries.invalidateQueries({ queryKey: ['memories.list'] }))
      .catch(notifyFailure)
}

interface GiveButtonProps {
  readonly sessionId: string
  readonly pack: Pack
  readonly size?: ButtonSize
}

/** Hands the texts of a pack to the model of a session. */
export function GiveButton({ sessionId, pack, size = 'medium' }: GiveButtonProps) {
  const give = useGive(pack)
  return (
    <Button
      size={size}
      data-give
      title="Claude gets them with your next prompt and after each compaction (i)"
      onClick={() => give(sessionId)}
    >
      <MessageSquarePlus className="size-4" aria-hidden /> Give to Claude
    </Button>
  )
}

/** Hands the texts of a pack to the model of a running session. Hidden if none runs. */
export function GiveMenu({ pack }: { readonly pack: Pack }) {
  const { data } = useOperation('sessions.list', { limit: 8 })
  const now = useNow(60_000)
  const give = useGive(pack)
  const running = (data?.items ?? []).filter(({ last_event_at: at }) => now - Date.parse(at) < ACTIVE_MS)
  if (running.length === 0) return null
  return (
    <Menu
      label="Give to a running session"
      text="Give to Claude"
      icon={MessageSquarePlus}
      items={running.map(({ id, title }) => ({ name: title ?? id, run: () => give(id) }))}
    />
  )
}

/** Presses the button that is on screen. */
export const pressGive = (): void => document.querySelector<HTMLButtonElement>('button[data-give]')?.click()
