import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, SearchX } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Empty, Failed } from '../../../components/states.tsx'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { useQueryText } from '../../../lib/use-query-text.ts'
import { useOperation } from '../../../lib/operation.ts'
import { SESSION_TABS, type SessionSearch, type SessionTab } from '../list/sessions-search.ts'
import { turnNumbers } from '../timeline/turn-numbers.ts'
import { EventDetails } from '../trace/event-details.tsx'
import { FindInSession } from './find-in-session.tsx'
import { ReadingFrame } from './reading-frame.tsx'
import { ResumeTruthBanner } from './resume-truth-banner.tsx'
import { PromptOutline } from './prompt-outline.tsx'
import { PromptSelect } from './prompt-select.tsx'
import { SessionBar } from './session-bar.tsx'
import { SessionHeader } from './session-header.tsx'
import { SessionMap } from './session-map.tsx'
import { PackButton, SessionPack, useSessionPack } from './session-pack.tsx'
import { SessionView } from './session-view.tsx'
import { ShownPlace } from './shown-place.ts'
import { useFailures } from './use-failures.ts'
import { useQuery } from '@tanstack/react-query'
import { foundWords } from '../../../lib/find-words.ts'
import { findQuery } from '../queries.ts'
import { useSessionPlace } from './use-session-place.ts'
import { toSession } from '../../../lib/places.ts'

const route = getRouteApi('/sessions/$sessionId')

const TABS_WITH_OUTLINE: ReadonlySet<SessionTab> = new Set(['transcript', 'timeline', 'lineage'])

/** One session in six views, with the details of any event next to them. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useOperation('sessions.get', { session_id: sessionId })
  const place = useSessionPlace(sessionId, search)
  const tab: SessionTab = search.tab ?? 'transcript'
  const hasOutline = TABS_WITH_OUTLINE.has(tab)
  const [shown] = useState(() => new ShownPlace())

  // Opening an event leaves the end of the session, where the transcript may be.
  // Back leaves the session, also after a jump to its start or end.
  const go = (change: SessionSearch) =>
    void navigate({ search: (now) => ({ ...now, at: undefined, ...change }), replace: 'at' in change })
  const [findText, setFindText] = useQueryText(
    search.find,
    (find) => void navigate({ search: (now) => ({ ...now, find }), replace: true }),
  )
  const pack = useSessionPack()
  const found = useFoundWords(sessionId, search.find)
  const showTab = (next: SessionTab) => go({ tab: next === 'transcript' ? undefined : next })
  const openInTranscript = (uuid: string) => go({ tab: undefined, event: uuid })
  const openIn = (other: string, uuid: string) => void navigate(toSession(other, { event: uuid }))
  const failures = useFailures(sessionId, session.data, search.event, openInTranscript)
  useHotkeys(Object.fromEntries(SESSION_TABS.map((name, at) => [String(at + 1), () => showTab(name)])))
  const openPrompt = (uuid: string) =>
    go({ event: uuid, details: search.details, turn: tab === 'timeline' ? String(place.turnOf(uuid)) : undefined })
  return (
    <ReadingFrame view={`${sessionId} ${tab}`}>
      <Head query={session} current={search.event} onNextFailure={() => failures.step(1)} onOpen={openInTranscript} />
      {session.error ? (
        <Failed error={session.error} onRetry={() => void session.refetch()} missing={<NoSession />} />
      ) : (
        <>
          {session.data && (
            <ResumeTruthBanner
              key={sessionId}
              sessionId={sessionId}
              onOpen={(uuid, from) => (from === null ? openInTranscript(uuid) : openIn(from, uuid))}
            />
          )}
          <SessionBar
            tab={tab}
            onTab={showTab}
            prompts={
              TABS_WITH_OUTLINE.has(tab) && (
                <PromptSelect prompts={place.prompts} current={search.event} onOpen={openPrompt} />
              )
            }
            pack={<PackButton pack={pack} />}
            find={
              <FindInSession
                sessionId={sessionId}
                current={search.event}
                text={findText}
                onText={setFindText}
                onOpen={(uuid) => go({ tab: undefined, event: uuid, find: findText.trim() })}
              />
            }
          />
          <div className="flex min-h-0 flex-1 max-[1000px]:flex-col">
            <div className="relative flex min-h-0 min-w-0 flex-1">
              {hasOutline && (
                <PromptOutline
                  sessionId={sessionId}
                  current={search.event}
                  shown={shown}
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
                shown={shown}
                found={found}
                project={session.data?.project ?? null}
              />
              {tab === 'transcript' && (
                <SessionMap
                  sessionId={sessionId}
                  shown={shown}
                  failures={failures.all}
                  onOpen={(uuid) => go({ event: uuid })}
                />
              )}
              {hasOutline && <DetailsOfEvent search={search} go={go} />}
            </div>
            <SessionPack pack={pack} sessionId={sessionId} />
          </div>
        </>
      )}
    </ReadingFrame>
  )
}

interface HeadProps {
  readonly query: { readonly data: OperationOutput<'sessions.get'> | undefined; readonly isPending: boolean }
  readonly onNextFailure: () => void
  readonly current: string | undefined
  readonly onOpen: (uuid: string) => void
}

function Head({ query, ...more }: HeadProps) {
  return (
    <div className="flex shrink-0 items-start gap-3 px-6 pt-3 pb-2 max-[700px]:gap-1 max-[700px]:px-3">
      <BackToSessions />
      {query.data ? (
        <SessionHeader session={query.data} {...more} />
      ) : (
        query.isPending && <div className="skeleton h-12 flex-1" />
      )}
    </div>
  )
}

interface DetailsProps {
  readonly search: SessionSearch
  readonly go: (change: SessionSearch) => void
}

/** The details of the chosen event, if they are open. */
function DetailsOfEvent({ search, go }: DetailsProps) {
  if (search.event === undefined || search.details !== 'yes') return null
  return (
    <EventDetails
      uuid={search.event}
      onClose={() => go({ event: search.event, details: undefined })}
      onOpen={(uuid) => go({ event: uuid, details: 'yes' })}
      onTrace={(uuid) => go({ tab: 'lineage', root: uuid, event: uuid, details: undefined })}
    />
  )
}

function NoSession() {
  return (
    <Empty icon={SearchX} title="No such session">
      It may have been deleted. See{' '}
      <Link to="/sessions" search={{}} className="text-accent underline underline-offset-2">
        all sessions
      </Link>
      .
    </Empty>
  )
}

function BackToSessions() {
  return (
    <Link
      to="/sessions"
      search={{}}
      aria-label="All sessions"
      title="All sessions"
      className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden />
    </Link>
  )
}

/** Returns the words to mark for a search in a session. */
function useFoundWords(sessionId: string, find: string | undefined): readonly string[] {
  const asked = find?.trim() ?? ''
  const { data } = useQuery(findQuery(sessionId, asked))
  return useMemo(
    () => (asked === '' || !data ? [] : foundWords(data.hits.map(({ content }) => content))),
    [asked, data],
  )
}
