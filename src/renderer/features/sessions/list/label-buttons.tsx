import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil, Pin, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { OperationInput } from '../../../../shared/contract/index.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button } from '../../../components/button.tsx'
import { call } from '../../../lib/client.ts'
import { notify } from '../../../lib/notices.ts'
import { DeleteDialog } from './delete-dialog.tsx'

type Label = Omit<OperationInput<'sessions.label'>, 'session_id'>

/** Writes a session's star, pin or name, then refreshes the views that show it. */
export function useLabel(sessionId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ label }: { label: Label; notice: string }) =>
      call('sessions.label', { session_id: sessionId, ...label }),
    onSuccess: async (_, { notice }) => {
      notify(notice)
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['sessions.get', sessionId] }),
        queries.invalidateQueries({ queryKey: ['sessions.list'] }),
      ])
    },
    onError: (error) => notify(error.message, 'warn'),
  })
}

/** Marks that a user can set on a session, with their texts. */
const MARKS = [
  {
    name: 'Star',
    field: 'starred',
    icon: Star,
    color: 'text-warn',
    put: 'Star this session',
    take: 'Remove the star',
    notice: 'Starred the session',
    noticeOff: 'Removed the star',
  },
  {
    name: 'Pin',
    field: 'pinned',
    icon: Pin,
    color: 'text-accent',
    put: 'Pin: never archive this session',
    take: 'Unpin: allow archiving again',
    notice: 'Pinned the session; it is never archived',
    noticeOff: 'Unpinned the session',
  },
] as const

/** Buttons to star, pin, rename and delete a session. */
export function LabelButtons({ session }: { session: Session }) {
  const label = useLabel(session.id)
  const [renaming, setRenaming] = useState(false)
  const [deleting, setDeleting] = useState(false)
  return (
    <span className="flex shrink-0 items-center">
      {MARKS.map(({ name, field, icon: Icon, color, put, take, notice, noticeOff }) => {
        const on = session[field]
        return (
          <Button
            key={name}
            look="ghost"
            size="icon"
            aria-pressed={on}
            aria-label={name}
            title={on ? take : put}
            onClick={() => label.mutate({ label: { [field]: !on }, notice: on ? noticeOff : notice })}
          >
            <Icon className={`size-4 ${on ? `fill-current ${color}` : ''}`} aria-hidden />
          </Button>
        )
      })}
      <Button look="ghost" size="icon" aria-label="Rename" title="Rename" onClick={() => setRenaming(true)}>
        <Pencil className="size-4" aria-hidden />
      </Button>
      <Button look="ghost" size="icon" aria-label="Delete" title="Delete permanently" onClick={() => setDeleting(true)}>
        <Trash2 className="size-4" aria-hidden />
      </Button>
      {deleting && <DeleteDialog session={session} onClose={() => setDeleting(false)} />}
      {renaming && (
        <RenameField
          title={session.title ?? ''}
          onDone={(title) => {
            setRenaming(false)
            if (title === null || title === session.title) return
            label.mutate({
              label: { title },
              notice: title.trim() === '' ? 'Restored the original name' : 'Renamed the session',
            })
          }}
        />
      )}
    </span>
  )
}

function RenameField({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [text, setText] = useState(title)
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault()
        onDone(text)
      }}
    >
      <input
        type="text"
        aria-label="Session name"
        placeholder="Original name"
        maxLength={300}
        // The form opens to type here.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={text}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone(null)
        }}
        className="h-8 w-72 rounded-small border border-line-strong bg-surface px-2 text-small"
      />
      <Button type="submit">Rename</Button>
    </form>
  )
}
