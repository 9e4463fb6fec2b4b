import { Pencil, Pin, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button } from '../../../components/button.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { RenameField } from './rename-field.tsx'
import { useLabel } from './use-label.ts'
import { useRename } from './use-rename.ts'

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
  const rename = useRename(session)
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
            rename(title)
          }}
        />
      )}
    </span>
  )
}
