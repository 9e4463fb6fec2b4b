import { GitBranch, GitPullRequest, Tag, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { countedFigure, isNotCaptured, knownCost, knownTokens, NOT_CAPTURED } from '../../../../shared/known-figures.ts'
import { clientLabel } from '../../../../shared/vendors.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { PreviewBadge } from '../../../components/preview-badge.tsx'
import { SessionState } from '../../../components/session-state.tsx'
import { copyText } from '../../../components/copy-button.tsx'
import { safeHref } from '../../../components/markdown.tsx'
import { useCommands } from '../../../lib/commands.ts'
import { formatCost, formatCount, formatDuration, plural, projectName } from '../../../lib/format.ts'
import { clientTotal } from './client-total.ts'
import { CompactionsNumber } from './compactions-number.tsx'
import { type FailureCounts, formatFailures } from '../../../../shared/failures.ts'
import { Figure } from './figure.tsx'
import { ContinuedSessions } from './continued-sessions.tsx'
import { ResumeButtons } from './resume-buttons.tsx'
import { LabelButtons } from '../list/label-buttons.tsx'
import { useRename } from '../list/use-rename.ts'
import { NoThinkingHint } from '../transcript/no-thinking-hint.tsx'
import { SessionLine } from './session-line.tsx'
import { SessionTitle } from './session-title.tsx'
import { SessionExportMenu } from './session-export-menu.tsx'
import { pullRequestName } from './pull-request-name.ts'
import { unpricedOf } from '../../../../shared/spend.ts'
import { Moment } from '../../../components/moment.tsx'

interface SessionHeaderProps {
  readonly session: OperationOutput<'sessions.get'>
  readonly onNextFailure: () => void
  /** The event in the address. */
  readonly current: string | undefined
  readonly onOpen: (uuid: string) => void
}

/** A session's name, actions and figures. */
export function SessionHeader({ session, onNextFailure, current, onOpen }: SessionHeaderProps) {
  const saveName = useRename(session)
  const [isRenaming, setRenaming] = useState(false)
  const failures = session.api_errors + session.failed_tools
  useCommands(
    'This session',
    failures === 0
      ? []
      : [{ id: 'session:failure', icon: TriangleAlert, name: 'Go to the next error', keys: 'e', run: onNextFailure }],
  )
  const rename = (title: string | null) => {
    setRenaming(false)
    saveName(title)
  }
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-8 gap-y-2 max-[1000px]:gap-x-4 max-[700px]:items-center max-[700px]:gap-x-1.5 max-[700px]:gap-y-1">
      <div className="min-w-0 flex-1 basis-[34rem] max-[1000px]:basis-full max-[700px]:contents">
        <div className="flex items-start gap-x-2 max-[700px]:contents">
          <SessionTitle title={session.title} isRenaming={isRenaming} onRenamed={rename} />
          {!isRenaming && <LabelButtons session={session} onRename={() => setRenaming(true)} />}
        </div>
        <div className="while-at-top mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-faint max-[700px]:mt-0 max-[700px]:mr-1.5">
          <span title={session.project ?? undefined}>{projectName(session.project)}</span>
          {session.git_branch !== null && (
            <span className="flex items-center gap-1 max-[700px]:hidden">
              <GitBranch className="size-3" aria-hidden />
              {session.git_branch}
            </span>
          )}
          {session.client !== 'unknown' && (
            <span
              className="traffic max-[700px]:hidden"
              title={['Client:', clientLabel(session.client), session.client_version].filter(Boolean).join(' ')}
            >
              {visibleText(clientLabel(session.client))}
              <span className="hidden min-[1600px]:inline"> {session.client_version}</span>
            </span>
          )}
          <Moment at={session.started_at} />
          {session.time_basis === 'file' && (
            <Badge title="No line of the transcript has a time. Shown: when the file was last written">file time</Badge>
          )}
          {session.preview === true && <PreviewBadge />}
          <ContinuedSessions links={session.links} />
          <SessionState session={session} />
          {isNotCaptured(session) && <span className="text-warn">{NOT_CAPTURED}</span>}
          {session.unrecorded?.map((said) => (
            <span key={said} className="text-warn">
              {visibleText(said)}
            </span>
          ))}
          <NoThinkingHint session={session} />
          <KnownBy tags={[...new Set([...session.own_tags, ...session.tags])]} pullRequests={session.pull_requests} />
          <button
            type="button"
            onClick={() => void copyText(session.id, 'Copied the session ID')}
            title={`Copy session ID: ${session.id}`}
            aria-label={`${session.id.slice(0, 8)}: copy session ID`}
            className="hidden rounded-small font-mono hover:text-ink hover:underline min-[1100px]:block"
          >
            {session.id.slice(0, 8)}
          </button>
        </div>
      </div>
      <div className="while-at-top flex items-center gap-2 pt-0.5 max-[700px]:-order-1 max-[700px]:ml-auto max-[700px]:gap-1 max-[700px]:pt-0">
        <ResumeButtons session={session} />
        <SessionExportMenu session={session} />
      </div>
      <Figures session={session} onNextFailure={onNextFailure} current={current} onOpen={onOpen} />
      <SessionLine session={session} />
    </div>
  )
}

/** A session's cost and counts. A narrow window shows only those with links; the Usage tab has the rest. */
function Figures({ session, onNextFailure, current, onOpen }: SessionHeaderProps) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 max-[1600px]:gap-x-4 pt-0.5 max-[700px]:pt-0">
      <Figure label="Cost" title="At API list price" isWide={knownCost(session) === null}>
        {formatCost(knownCost(session))}
        {unpricedOf(session) > 0 && (
          <span className="text-warn" title={`${plural(unpricedOf(session), 'request')} without a price`}>
            {' '}
            +?
          </span>
        )}
        <ClientTotal session={session} />
      </Figure>
      <Figure label="Tokens" isWide>
        {formatCount(knownTokens(session))}
      </Figure>
      <Figure label="Prompts" isWide>
        {formatCount(session.prompts)}
        {session.turn_count !== session.prompts && (
          <span className="text-meta font-normal text-faint">{` in ${plural(session.turn_count, 'turn')}`}</span>
        )}
      </Figure>
      <Figure label="Tools" isWide>
        {formatCount(countedFigure(session, 'tool_calls'))}
      </Figure>
      {session.api_errors + session.failed_tools > 0 && (
        <Figure label="Failures">
          <FailuresNumber failures={session} onNext={onNextFailure} />
        </Figure>
      )}
      <CompactionsNumber sessionId={session.id} current={current} onOpen={onOpen} />
      <Figure label="Active time" title="Time with activity" isWide>
        {formatDuration(countedFigure(session, 'active_ms'))}
      </Figure>
    </dl>
  )
}

/** More would push the figures off the screen. A tooltip lists the rest. */
const MAX_SHOWN = 3

/** The session's tags and pull requests, as recorded by Claude Code. */
function KnownBy({ tags, pullRequests }: { tags: readonly string[]; pullRequests: readonly string[] }) {
  return (
    <>
      {tags.slice(0, MAX_SHOWN).map((tag) => (
        <Badge key={tag} title={`Tag: ${tag}`}>
          <Tag className="size-3 shrink-0" aria-hidden />
          <span className="max-w-40 truncate">{tag}</span>
        </Badge>
      ))}
      {tags.length > MAX_SHOWN && (
        <Badge title={tags.slice(MAX_SHOWN).join(', ')}>{`${tags.length - MAX_SHOWN} more tags`}</Badge>
      )}
      {pullRequests.slice(0, MAX_SHOWN).map((address) => {
        const href = safeHref(address)
        return href === null ? (
          <span key={address} className="traffic">
            {address}
          </span>
        ) : (
          <a
            key={address}
            href={href}
            target="_blank"
            rel="noreferrer noopener"
            title={`Open pull request: ${address}`}
            className="flex items-center gap-1 text-accent hover:underline"
          >
            <GitPullRequest className="size-3 shrink-0" aria-hidden />
            <span className="max-w-60 truncate">{pullRequestName(address)}</span>
          </a>
        )
      })}
    </>
  )
}

/** The client's own total, if it is displayed differently from the list price. */
function ClientTotal({ session }: { session: OperationOutput<'sessions.get'> }) {
  const own = clientTotal(session)
  if (own === null) return null
  return (
    <span
      className="block text-meta font-normal text-faint"
      title="Claude Code's own total, from its transcript. The Usage tab explains the difference."
    >
      Claude Code: {own}
    </span>
  )
}

/** The failures of a session, API errors and tools separately. Each click opens the next one in time order. */
function FailuresNumber({ failures, onNext }: { readonly failures: FailureCounts; readonly onNext: () => void }) {
  const text = formatFailures(failures)
  return (
    <button
      type="button"
      onClick={onNext}
      aria-label={`${text}: go to the next error`}
      title="API errors and failed tool calls. Go to the next one (e), or back (Shift+E)"
      className="rounded-small whitespace-nowrap text-bad underline decoration-dotted underline-offset-4 hover:decoration-solid"
    >
      {text}
    </button>
  )
}
