import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Segments } from '../../../components/segments.tsx'
import { Failed, LoadingRows } from '../../../components/states.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { loadView } from '../../../lib/load-view.ts'
import { SESSION_TABS, type SessionSearch, type SessionTab } from '../list/sessions-search.ts'
import { sessionQuery } from '../queries.ts'
import { TimelineTab } from '../timeline/timeline-tab.tsx'
import { EventDetails } from '../trace/event-details.tsx'
import { TraceTab } from '../trace/trace-tab.tsx'
import { RequestsTab } from '../usage/requests-tab.tsx'
import { FindInSession } from './find-in-session.tsx'
import { PromptOutline } from './prompt-outline.tsx'
import { PromptSelect } from './prompt-select.tsx'
import { SessionHeader } from './session-header.tsx'
import { TranscriptLoading, TranscriptTab } from './transcript-tab.tsx'
import { useFailures } from './use-failures.ts'
import { turnNumbers } from '../timeline/turn-numbers.ts'
import { type SessionPlace, useSessionPlace } from './use-session-place.ts'

const route = getRouteApi('/sessions/$sessionId')

/** Charts are a third of the window's code, so they load with the first tab that draws one. */
const UsageTab = lazy(async () => ({ default: (await loadView(() => import('../usage/usage-tab.tsx'))).UsageTab }))

/** Tab names on screen. The keys are part of the address and must not change. */
const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  transcript: 'Transcript',
  timeline: 'Timeline',
  lineage: 'Trace',
  requests: 'Requests',
  numbers: 'Usage',
}
const TABS_WITH_OUTLINE: ReadonlySet<SessionTab> = new Set(['transcript', 'timeline', 'lineage'])

/** One session in five views, with the details of any event beside them. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useQuery(sessionQuery(sessionId))
  const place = useSessionPlace(sessionId, search)
  const tab: SessionTab = search.tab ?? 'transcript'
  const hasOutline = TABS_WITH_OUTLINE.has(tab)

  const go = (change: SessionSearch) => void navigate({ search: (now) => ({ ...now, ...change }) })
  const showTab = (next: SessionTab) => go({ tab: next === 'transcript' ? undefined : next })
  const failures = useFailures(sessionId, session.data, search.event, (uuid) => go({ tab: undefined, event: uuid }))
  useHotkeys(Object.fromEntries(SESSION_TABS.map((name, at) => [String(at + 1), () => showTab(name)])))
  const openPrompt = (uuid: string) =>
    go({ event: uuid, details: search.details, turn: tab === 'timeline' ? String(place.turnOf(uuid)) : undefined })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-start gap-3 px-6 pt-3 pb-2 max-[700px]:gap-2 max-[700px]:px-3">
        <Link
          to="/sessions"
          search={{}}
          aria-label="All sessions"
          title="All sessions"
          className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden />
        </Link>
        {session.data ? (
          <SessionHeader session={session.data} onNextFailure={() => failures.step(1)} />
        ) : (
          <div className="skeleton h-12 flex-1" />
        )}
      </div>
      {session.error ? (
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      ) : (
        <>
          <div className="flex shrink-0 flex-wrap items-center gap-3 border-b px-6 pb-2.5 max-[700px]:gap-2 max-[700px]:px-3">
            <Segments
              label="Session view"
              options={SESSION_TABS.map((name, at) => ({
                value: name,
                name: TAB_NAMES[name],
                title: `${TAB_NAMES[name]} (${at + 1})`,
              }))}
              value={tab}
              onChange={showTab}
            />
            {hasOutline && (
              <div className="min-[1240px]:hidden">
                <PromptSelect prompts={place.prompts} current={search.event} onOpen={openPrompt} />
              </div>
            )}
            <div className="ml-auto">
              <FindInSession
                sessionId={sessionId}
                current={search.event}
                onOpen={(uuid) => go({ tab: undefined, event: uuid })}
              />
            </div>
          </div>
          <div className="flex min-h-0 flex-1">
            {hasOutline && (
              <PromptOutline
                sessionId={sessionId}
                current={search.event}
                failures={failures.byTurn}
                onOpen={openPrompt}
              />
            )}
            <SessionView
              sessionId={sessionId}
              tab={tab}
              search={search}
              place={place}
              turns={turnNumbers(session.data, place.turn)}
              go={go}
            />
            {hasOutline && search.event !== undefined && search.details === 'yes' && (
              <EventDetails
                uuid={search.event}
                onClose={() => go({ event: search.event, details: undefined })}
                onOpen={(uuid) => go({ event: uuid, details: 'yes' })}
                onTrace={(uuid) => go({ tab: 'lineage', root: uuid, event: uuid, details: undefined })}
              />
            )}
          </div>
        </>
      )}
    </div>
  )
}

interface SessionViewProps {
  readonly sessionId: string
  readonly tab: SessionTab
  readonly search: SessionSearch
  readonly place: SessionPlace
  readonly turns: readonly number[]
  readonly go: (change: SessionSearch) => void
}

function SessionView({ sessionId, tab, search, place, turns, go }: SessionViewProps) {
  switch (tab) {
    case 'transcript':
      if (place.isLoading) return <TranscriptLoading />
      return (
        <TranscriptTab
          key={sessionId}
          sessionId={sessionId}
          anchor={place.time}
          event={search.event}
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
    case 'requests':
      return <RequestsTab sessionId={sessionId} />
    case 'numbers':
      return (
        <Suspense fallback={<LoadingRows rows={10} label="Loading usage" />}>
          <UsageTab sessionId={sessionId} onTurn={(next) => go({ tab: 'timeline', turn: String(next) })} />
        </Suspense>
      )
  }
}
