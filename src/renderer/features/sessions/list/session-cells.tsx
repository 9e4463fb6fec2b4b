import { Link } from '@tanstack/react-router'
import { Bot, FoldVertical, GitBranch, Pencil, Pin, Star, Tag } from 'lucide-react'
import { useState } from 'react'
import { untitled } from '../../../../shared/columns/sessions.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { PreviewBadge } from '../../../components/preview-badge.tsx'
import { SessionState } from '../../../components/session-state.tsx'
import type { RichCells } from '../../../components/table.tsx'
import { plural, projectName } from '../../../lib/format.ts'
import { clientLabel, modelName } from '../../../../shared/vendors.ts'
import { viewerDate } from '../../../lib/viewer-locale.ts'
import { RenameField } from './rename-field.tsx'
import { useRename } from './use-rename.ts'
import { toSession } from '../../../lib/places.ts'

interface SelectCellProps {
  readonly session: Session
  readonly isSelected: boolean
  readonly onSelect: (isRange: boolean) => void
}

/** The cell that selects a session. */
export function SelectCell({ session, isSelected, onSelect }: SelectCellProps) {
  return (
    <span role="cell" className="relative z-10 flex size-6 items-center justify-center">
      <input
        type="checkbox"
        aria-label={`Select ${titleOf(session)}`}
        checked={isSelected}
        onChange={(event) => onSelect(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
        className="size-4 accent-(--accent)"
      />
    </span>
  )
}

const titleOf = (session: Session): string => visibleText(session.title ?? untitled(session))

/** Returns the cells of a session that are more than text. `isUnderDay`: its day is the heading above it. */
export function sessionCells(isUnderDay: boolean): RichCells<Session, 'session' | 'last_event_at' | 'failures'> {
  return {
    session: (session, title) => (
      <>
        <TitleLine session={session} title={title} />
        <AboutLine session={session} />
      </>
    ),
    // Below each other, so that the title has the room.
    failures: (_, text) =>
      text.split(' · ').map((part) => (
        <span key={part} className="block">
          {part}
        </span>
      )),
    last_event_at: ({ last_event_at: at }, text) =>
      isUnderDay ? viewerDate(new Date(at), { timeStyle: 'short' }) : text,
  }
}

function TitleLine({ session, title }: { session: Session; title: string }) {
  const [isRenaming, setRenaming] = useState(false)
  const rename = useRename(session)
  if (isRenaming)
    return (
      <RenameField
        title={session.title ?? ''}
        className="relative z-10 h-7 w-full text-small"
        onDone={(next) => {
          setRenaming(false)
          rename(next)
        }}
      />
    )
  return (
    <p className="group flex min-w-0 items-center gap-1">
      <Link {...toSession(session.id, {})} title={title} className="truncate font-medium after:absolute after:inset-0">
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

function AboutLine({ session }: { session: Session }) {
  const { project, git_branch: branch, model, client, client_version: version, agents, compactions, prompts } = session
  return (
    <p className="fade-end flex min-w-0 items-center gap-x-2 text-meta whitespace-nowrap text-faint">
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
      {compactions > 0 && (
        <span className="hidden shrink-0 items-center gap-1 min-[560px]:flex" title="Its context was compacted">
          <FoldVertical className="size-3 shrink-0" aria-hidden />
          {plural(compactions, 'compaction')}
        </span>
      )}
      <span className="hidden shrink-0 min-[1000px]:inline">{plural(prompts, 'prompt')}</span>
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
