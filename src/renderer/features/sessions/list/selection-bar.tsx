import { useQueryClient } from '@tanstack/react-query'
import { Download, Pin, Star, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { call } from '../../../lib/client.ts'
import { formatCost, plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { PageDialog } from '../session/page-dialog.tsx'
import { TagDialog } from './tag-dialog.tsx'
import { useDeleteSessions } from './use-delete-sessions.ts'
import { useAction } from '../../../lib/use-action.ts'

interface SelectionBarProps {
  readonly sessions: readonly Session[]
  readonly onClear: () => void
  /** Loads the rest of the list and selects all of it; undefined if there is no rest, or not all that is loaded is selected. */
  readonly onSelectRest: (() => void) | undefined
  readonly isSelectingRest: boolean
}

/** Actions for the selected sessions. */
export function SelectionBar({ sessions, onClear, onSelectRest, isSelectingRest }: SelectionBarProps) {
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const [isTagging, setTagging] = useState(false)
  const [isExporting, setExporting] = useState(false)
  const act = useAction({
    async mutationFn({ each }: { each: (session: Session) => Promise<unknown>; notice: string }) {
      // One after another: the recorder handles one request at a time anyway.
      for (const session of sessions) await each(session)
    },
    onSuccess: (_, { notice }) => {
      notify(notice)
      onClear()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  const remove = useDeleteSessions()
  const all = plural(sessions.length, 'session')
  const mark = (field: 'starred' | 'pinned', isOn: boolean, notice: string) =>
    act.mutate({ each: ({ id }) => call('sessions.label', { session_id: id, [field]: isOn }), notice })
  const [areStarred, arePinned] = [sessions.every(({ starred }) => starred), sessions.every(({ pinned }) => pinned)]
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="mx-6 mb-3 flex shrink-0 flex-wrap items-center gap-2 rounded-medium border border-line-strong bg-surface px-4 py-2 shadow-float"
    >
      <span className="mr-auto flex items-center gap-2 text-small font-medium">
        {all} selected
        {onSelectRest !== undefined && (
          <Button look="ghost" disabled={isSelectingRest} onClick={onSelectRest}>
            {isSelectingRest ? 'Selecting…' : 'Select all that match'}
          </Button>
        )}
      </span>
      <Button
        disabled={act.isPending}
        onClick={() => mark('starred', !areStarred, `${areStarred ? 'Removed the stars of' : 'Starred'} ${all}`)}
      >
        <Star className="size-4" aria-hidden /> {areStarred ? 'Remove stars' : 'Star'}
      </Button>
      <Button
        disabled={act.isPending}
        onClick={() => mark('pinned', !arePinned, `${arePinned ? 'Unpinned' : 'Pinned'} ${all}`)}
      >
        <Pin className="size-4" aria-hidden /> {arePinned ? 'Unpin' : 'Pin'}
      </Button>
      <Button disabled={act.isPending} onClick={() => setTagging(true)}>
        <Tag className="size-4" aria-hidden /> Tag
      </Button>
      <Button
        disabled={act.isPending}
        aria-haspopup="dialog"
        title="See what the files would contain, and save them"
        onClick={() => setExporting(true)}
      >
        <Download className="size-4" aria-hidden /> Export
      </Button>
      <Button look="danger" disabled={act.isPending} onClick={() => setDeleting(true)}>
        <Trash2 className="size-4" aria-hidden /> Delete
      </Button>
      <Button
        look="ghost"
        size="icon"
        aria-label="Clear the selection"
        title="Clear the selection (Esc)"
        onClick={onClear}
      >
        <X className="size-4" aria-hidden />
      </Button>
      {isExporting && <PageDialog sessionIds={sessions.map(({ id }) => id)} onClose={() => setExporting(false)} />}
      {isTagging && <TagDialog sessions={sessions} onClose={() => setTagging(false)} />}
      {isDeleting && (
        <ConfirmDialog
          label="Delete sessions"
          question={`Delete ${all}?`}
          action={`Delete ${all}`}
          onConfirm={() => {
            remove.mutate(sessions.map(({ id }) => id))
            onClear()
          }}
          onClose={() => setDeleting(false)}
        >
          <p className="text-soft">
            {plural(sum(sessions, 'prompts'), 'prompt')}, {plural(sum(sessions, 'tool_calls'), 'tool call')} and costs
            of {formatCost(sum(sessions, 'total_cost_usd'))} are deleted with their answers, thinking and log files. You
            can undo it for ten seconds. After that, not even importing their transcripts restores them.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const sum = (sessions: readonly Session[], field: 'prompts' | 'tool_calls' | 'total_cost_usd'): number =>
  sessions.reduce((total, session) => total + session[field], 0)
