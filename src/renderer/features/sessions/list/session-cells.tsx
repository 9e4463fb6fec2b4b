import { Link } from '@tanstack/react-router'
import { Bot, GitBranch, Pencil, Pin, Star, Tag } from 'lucide-react'
import { useState } from 'react'
import type { ListedSession } from '../../../../shared/contract/sessions.ts'
import { formatFailures } from '../../../../shared/failures.ts'
import { countedFigure, knownCost, knownTokens } from '../../../../shared/known-figures.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { PreviewBadge } from '../../../components/preview-badge.tsx'
import { SessionState } from '../../../components/session-state.tsx'
import { formatCount, formatDuration, formatExact, formatMoment, plural, projectName } from '../../../lib/format.ts'
import { clientLabel, modelName } from '../../../../shared/vendors.ts'
import { viewerDate } from '../../../lib/viewer-locale.ts'
import { RenameField } from './rename-field.tsx'
import { useRename } from './use-rename.ts'

interface SessionCellsProps {
  readonly session: ListedSession
  readonly isSelected: boolean
  readonly onSelect: (isRange: boolean) => void
  /** Formats the cost, like all of the column. */
  readonly cost: (usd: number | null) => string
  /** Its day stands above it. */
  readonly isUnderDay: boolean
}

/** The cells of a session's row. */
export function SessionCells({ session, isSelected, onSelect, cost, isUnderDay }: SessionCellsProps) {
  const title = visibleText(session.title ?? 'Untitled session')
  const number = 'text-right text-small text-soft'
  return (
    <>
      <span role="cell" className="relative z-10 flex size-6 items-center justify-center">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onChange={(event) => onSelect(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
          className="size-4 accent-(--accent)"
        />
      </span>
      <div role="cell" className="min-w-0">
        <TitleLine session={session} title={title} />
        <AboutLine session={session} />
      </div>
      <span
        role="cell"
        className={`${number} hidden whitespace-nowrap min-[560px]:block`}
        title={formatExact(session.last_event_at)}
      >
        {isUnderDay
          ? viewerDate(new Date(session.last_event_at), { timeStyle: 'short' })
          : formatMoment(session.last_event_at)}
      </span>
      <span role="cell" className={`${number} hidden min-[760px]:block`} title="Time with activity">
        {formatDuration(countedFigure(session, 'active_ms'))}
      </span>
      <span
        role="cell"
        title="API errors and failed tool calls"
        className="hidden truncate text-right text-small text-bad min-[760px]:block"
      >
        {formatFailures(session)}
      </span>
      <span role="cell" className={`${number} hidden min-[1200px]:block`}>
        {formatCount(knownTokens(session))}
      </span>
      <span
        role="cell"
        className="text-right text-small font-medium whitespace-nowrap"
        title={
          session.unpriced_calls > 0 ? `${plural(session.unpriced_calls, 'call')} without a price` : 'API list price'
        }
      >
        {cost(knownCost(session))}
        {session.unpriced_calls > 0 && <span className="text-warn"> +?</span>}
      </span>
    </>
  )
}

function TitleLine({ session, title }: { session: ListedSession; title: string }) {
  const [isRenaming, setRenaming] = useState(false)
  const rename = useRename(session)
  if (isRenaming)
    return (
      <RenameField
        title={session.title ?? ''}
        className="relative z-10 h-7 w-full"
        onDone={(next) => {
          setRenaming(false)
          rename(next)
        }}
      />
    )
  return (
    <p className="group flex min-w-0 items-center gap-1">
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.id }}
        search={{}}
        title={title}
        className="truncate font-medium after:absolute after:inset-0"
      >
        {title}
      </Link>
      <Button
        look="ghost"
        size="icon-small"
        aria-label={`Rename ${title}`}
        title="Rename"
        onClick={() => setRenaming(true)}
        className="relative z-10 w-0 overflow-hidden opacity-0 group-hover:w-6 group-hover:opacity-100 focus-visible:w-6 focus-visible:opacity-100"
      >
        <Pencil className="size-3.5" aria-hidden />
      </Button>
    </p>
  )
}

/** Tags of a row; a tooltip lists the rest. */
const MAX_TAGS = 2

function AboutLine({ session }: { session: ListedSession }) {
  const { project, git_branch: branch, model, client, client_version: version, agents, prompts } = session
  return (
    <p className="flex min-w-0 items-center gap-x-2 overflow-hidden text-meta whitespace-nowrap text-faint">
      <SessionState session={session} />
      <span className="max-w-40 shrink-0 truncate" title={project ?? undefined}>
        {projectName(project)}
      </span>
      {branch !== null && (
        <span className="hidden min-w-0 items-center gap-1 min-[1000px]:flex">
          <GitBranch className="size-3 shrink-0" aria-hidden />
          <span className="truncate">{visibleText(branch)}</span>
        </span>
      )}
      {model !== null && (
        <span title={model} className="shrink-0">
          {modelName(model)}
        </span>
      )}
      {agents > 0 && (
        <span className="hidden shrink-0 items-center gap-1 min-[560px]:flex">
          <Bot className="size-3 shrink-0" aria-hidden />
          {plural(agents, 'agent')}
        </span>
      )}
      <span className="hidden shrink-0 min-[760px]:inline">{plural(prompts, 'prompt')}</span>
      {session.own_tags.slice(0, MAX_TAGS).map((tag) => (
        <Badge key={tag} title={`Tag: ${visibleText(tag)}`}>
          <Tag className="size-3 shrink-0" aria-hidden />
          <span className="max-w-32 truncate">{visibleText(tag)}</span>
        </Badge>
      ))}
      {session.own_tags.length > MAX_TAGS && (
        <Badge title={session.own_tags.map(visibleText).join(', ')}>{`+${session.own_tags.length - MAX_TAGS}`}</Badge>
      )}
      {session.starred && <Star className="size-3.5 shrink-0 fill-current text-warn" role="img" aria-label="Starred" />}
      {session.pinned && <Pin className="size-3.5 shrink-0 fill-current text-accent" role="img" aria-label="Pinned" />}
      {client !== 'unknown' && (
        <span
          className="hidden truncate min-[1000px]:inline"
          title={visibleText([clientLabel(client), version].filter(Boolean).join(' '))}
        >
          {visibleText(clientLabel(client))}
        </span>
      )}
      {session.preview === true && <PreviewBadge />}
      {session.source === 'transcript' && session.preview === undefined && (
        <Badge title="Imported from a transcript: output tokens are a lower bound">transcript</Badge>
      )}
    </p>
  )
}
