import { Pencil, Pin, Star, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button } from '../../../components/button.tsx'
import { useCommands } from '../../../lib/commands.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { TagDialog } from './tag-dialog.tsx'
import { useLabel } from './use-label.ts'

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

/** Buttons to star, pin, tag, rename and delete a session, also in the palette. */
export function LabelButtons({ session, onRename }: { session: Session; onRename: () => void }) {
  const label = useLabel(session.id)
  const [deleting, setDeleting] = useState(false)
  const [tagging, setTagging] = useState(false)
  const mark = ({ field, notice, noticeOff }: (typeof MARKS)[number]) => {
    const on = session[field]
    label.mutate({ label: { [field]: !on }, notice: on ? noticeOff : notice })
  }
  useCommands('This session', [
    ...MARKS.map((one) => ({
      id: `session:${one.field}`,
      icon: one.icon,
      name: session[one.field] ? one.take : one.put,
      run: () => mark(one),
    })),
    { id: 'session:rename', icon: Pencil, name: 'Rename this session', run: onRename },
    { id: 'session:tag', icon: Tag, name: 'Tag this session', run: () => setTagging(true) },
    { id: 'session:delete', icon: Trash2, name: 'Delete this session', run: () => setDeleting(true) },
  ])
  return (
    <span className="while-at-top flex shrink-0 items-center max-[700px]:-order-2">
      {MARKS.map((one) => {
        const { name, field, icon: Icon, color, put, take } = one
        const on = session[field]
        return (
          <Button
            key={name}
            look="ghost"
            size="icon"
            aria-pressed={on}
            aria-label={name}
            title={on ? take : put}
            onClick={() => mark(one)}
          >
            <Icon className={`size-4 ${on ? `fill-current ${color}` : ''}`} aria-hidden />
          </Button>
        )
      })}
      <Button look="ghost" size="icon" aria-label="Tags" title="Tags" onClick={() => setTagging(true)}>
        <Tag className="size-4" aria-hidden />
      </Button>
      <Button look="ghost" size="icon" aria-label="Rename" title="Rename" onClick={onRename}>
        <Pencil className="size-4" aria-hidden />
      </Button>
      <Button look="ghost" size="icon" aria-label="Delete" title="Delete permanently" onClick={() => setDeleting(true)}>
        <Trash2 className="size-4" aria-hidden />
      </Button>
      {tagging && <TagDialog sessions={[session]} onClose={() => setTagging(false)} />}
      {deleting && <DeleteDialog session={session} onClose={() => setDeleting(false)} />}
    </span>
  )
}
