import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { NoticeArea } from '../components/notice.tsx'
import { currentConnection, subscribeConnection } from '../lib/connection.ts'
import { useHotkeys } from '../lib/hotkeys.ts'
import { useAppCommands } from './app-commands.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { FocusHint } from './focus-hint.tsx'
import { Footer } from './footer.tsx'
import { HeldRequests } from './held-requests.tsx'
import { ImportStrip } from './import-strip.tsx'
import { LeftDemo } from './left-demo.tsx'
import { PendingDeletions } from './pending-deletions.tsx'
import { TeamGate } from './not-in-team.tsx'
import { Palette } from './palette.tsx'
import { Rail } from './rail.tsx'
import { RecordingPanel } from './recording-panel.tsx'
import { ShortcutsSheet } from './shortcuts-sheet.tsx'
import { VIEWS } from './views.ts'

/**
 * Moves the focus to a view that was opened from elsewhere, such as the rail. Otherwise Enter would follow the link of
 * the rail again instead of opening the current row, and a screen reader would stay in the rail.
 */
function useFocusOfView(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    const view = document.querySelector<HTMLElement>('main')
    if (view?.contains(document.activeElement) === false && document.querySelector('dialog[open]') === null)
      view.focus({ preventScroll: true })
  }, [path])
}

/** The frame around every view: navigation, status bar, palette, shortcuts and notices. */
export function Shell(): ReactNode {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'palette' | 'shortcuts' | 'recording' | null>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })

  useEffect(() => {
    const view = VIEWS.find(({ to }) => path.startsWith(to))
    document.title = view ? `${view.name} · Aspy` : path.startsWith('/exchanges/') ? 'Request · Aspy' : 'Aspy'
  }, [path])

  useFocusOfView(path)
  useAppCommands(
    () => setOpen('shortcuts'),
    () => setOpen('recording'),
  )
  useHotkeys(
    {
      'mod+k': () => setOpen((now) => (now === 'palette' ? null : 'palette')),
      '?': () => setOpen('shortcuts'),
      ...Object.fromEntries(VIEWS.map((view) => [`g ${view.key}`, () => void navigate({ to: view.to })])),
    },
    ['mod+k'],
  )

  const { status } = useSyncExternalStore(subscribeConnection, currentConnection)
  if (status === 'left') return <LeftDemo />
  return (
    <div className="grid h-full grid-cols-[auto_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto_auto] bg-bg">
      <a
        href="#view"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-small bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
      >
        Skip to content
      </a>
      <div className="col-span-2 min-w-0">
        <ConnectionBanner />
        <HeldRequests />
      </div>
      <Rail onPalette={() => setOpen('palette')} />
      <main id="view" tabIndex={-1} className="min-h-0 min-w-0 outline-none">
        <TeamGate path={path}>
          <Outlet />
        </TeamGate>
      </main>
      <div className="col-span-2 min-w-0">
        <ImportStrip />
      </div>
      <Footer onShortcuts={() => setOpen('shortcuts')} onRecording={() => setOpen('recording')} />
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'shortcuts' && <ShortcutsSheet onClose={() => setOpen(null)} />}
      {open === 'recording' && <RecordingPanel onClose={() => setOpen(null)} />}
      <PendingDeletions />
      <NoticeArea />
      <FocusHint />
    </div>
  )
}
