import { lazy, type ReactNode, Suspense } from 'react'
import { LoadingRows } from '../../../components/states.tsx'
import { loadView } from '../../../lib/load-view.ts'
import type { SessionSearch, SessionTab } from '../list/sessions-search.ts'
import { TimelineTab } from '../timeline/timeline-tab.tsx'
import { TraceTab } from '../trace/trace-tab.tsx'
import { RequestsTab } from '../usage/requests-tab.tsx'
import type { ShownPlace } from './shown-place.ts'
import { TranscriptTab } from './transcript-tab.tsx'
import type { SessionPlace } from './use-session-place.ts'

/** Charts are a third of the window's code, so they load with the first tab that draws one. */
const UsageTab = lazy(async () => ({ default: (await loadView(() => import('../usage/usage-tab.tsx'))).UsageTab }))
const FilesTab = lazy(async () => ({ default: (await loadView(() => import('../files/files-tab.tsx'))).FilesTab }))

interface SessionViewProps {
  readonly sessionId: string
  readonly tab: SessionTab
  readonly search: SessionSearch
  readonly place: SessionPlace
  readonly turns: readonly number[]
  readonly go: (change: SessionSearch) => void
  readonly shown: ShownPlace
  readonly found: readonly string[]
  readonly project: string | null
}

/** The chosen view of a session. */
export function SessionView({
  sessionId,
  tab,
  search,
  place,
  turns,
  go,
  shown,
  found,
  project,
}: SessionViewProps): ReactNode {
  switch (tab) {
    case 'transcript':
      if (place.isLoading) return <LoadingRows rows={12} label="Loading transcript" />
      return (
        <TranscriptTab
          key={sessionId}
          sessionId={sessionId}
          anchor={place.time}
          event={search.event}
          isAtEnd={search.at === 'end'}
          found={found}
          shown={shown}
          onJump={(target) => go({ event: undefined, details: undefined, at: target === 'end' ? 'end' : undefined })}
          onDetails={(uuid) => go({ event: uuid, details: 'yes' })}
          onOpen={(uuid) => go({ event: uuid, details: search.details })}
        />
      )
    case 'timeline':
      return (
        <TimelineTab
          sessionId={sessionId}
          turn={place.turn}
          turns={turns}
          selected={search.event}
          onTurn={(next) => go({ turn: String(next), event: undefined, details: undefined })}
          onOpen={(uuid) => go({ turn: String(place.turn), event: uuid, details: 'yes' })}
        />
      )
    case 'lineage':
      return (
        <TraceTab
          sessionId={sessionId}
          event={search.root}
          onRoot={(uuid) => go({ root: uuid, event: uuid, details: undefined })}
          onOpen={(uuid) => go({ event: uuid, details: 'yes' })}
        />
      )
    case 'files':
      return (
        <Suspense fallback={<LoadingRows rows={8} label="Loading changed files" />}>
          <FilesTab sessionId={sessionId} project={project} onOpen={(uuid) => go({ tab: undefined, event: uuid })} />
        </Suspense>
      )
    case 'requests':
      return <RequestsTab sessionId={sessionId} search={search} onChange={go} />
    case 'numbers':
      return (
        <Suspense fallback={<LoadingRows rows={10} label="Loading usage" />}>
          <UsageTab sessionId={sessionId} onTurn={(next) => go({ tab: 'timeline', turn: String(next) })} />
        </Suspense>
      )
  }
}
