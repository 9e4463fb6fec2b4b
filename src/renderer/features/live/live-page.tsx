import { type ReactNode, useState } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import type { Session } from '../../../shared/contract/sessions.ts'
import { Page } from '../../components/page.tsx'
import { Failed } from '../../components/states.tsx'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useLiveSnapshot } from '../../lib/live/live-context.tsx'
import { ActiveSessions } from './active-sessions.tsx'
import { EventStream } from './event-stream.tsx'
import { FirstRun } from './first-run.tsx'
import { FirstStepsBar } from './first-steps.tsx'
import { GroupFilter } from './group-filter.tsx'
import { toggledGroup } from './live-search.ts'
import { useKnownSessions } from './use-known-sessions.ts'

const route = getRouteApi('/live')
const NONE: ReadonlyMap<string, Session> = new Map()

/** Running turns and their events, live. */
export function LivePage(): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const snapshot = useLiveSnapshot()
  const [pointed, setPointed] = useState<string | null>(null)
  const recorded = useKnownSessions()
  const known = recorded ?? NONE
  useHotkeys({ Escape: () => void navigate({ search: { show: search.show, q: search.q } }) })

  if (snapshot.status === 'lost' && snapshot.received === 0 && snapshot.error) {
    return (
      <Page title="Live">
        <Failed error={snapshot.error} />
      </Page>
    )
  }
  const nothingYet = snapshot.received === 0 && snapshot.blocks.length === 0
  if (nothingYet && recorded?.size === 0) {
    return (
      <Page title="Live">
        <FirstRun />
      </Page>
    )
  }
  const choose = (session: string | undefined) => void navigate({ search: (now) => ({ ...now, session }) })
  return (
    <Page
      title="Live"
      actions={
        <GroupFilter
          show={search.show}
          onToggle={(group) => void navigate({ search: (now) => ({ ...now, show: toggledGroup(now.show, group) }) })}
        />
      }
    >
      <FirstStepsBar />
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(16rem,23rem)_minmax(0,1fr)] border-t max-[800px]:grid-cols-1 max-[800px]:grid-rows-[auto_minmax(0,1fr)]">
        <ActiveSessions
          snapshot={snapshot}
          known={known}
          chosen={search.session}
          onChoose={choose}
          onPoint={setPointed}
        />
        <EventStream
          snapshot={snapshot}
          known={known}
          session={search.session}
          show={search.show}
          text={search.q}
          onText={(q) => void navigate({ search: (now) => ({ ...now, q }), replace: true })}
          onAllSessions={() => choose(undefined)}
          pointed={pointed}
        />
      </div>
    </Page>
  )
}
