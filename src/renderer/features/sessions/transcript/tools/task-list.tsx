import { Circle, CircleCheck, CircleDot, CircleSlash, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ListedTask } from '../../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { FirstOf } from '../../../../components/first-of.tsx'

interface StatusLook {
  readonly icon: LucideIcon
  readonly color: string
  readonly label: string
}

const PENDING: StatusLook = { icon: Circle, color: 'text-faint', label: 'Open' }
const STATUSES: Readonly<Record<string, StatusLook>> = {
  pending: PENDING,
  in_progress: { icon: CircleDot, color: 'text-accent', label: 'In progress' },
  completed: { icon: CircleCheck, color: 'text-good', label: 'Done' },
  deleted: { icon: CircleSlash, color: 'text-faint', label: 'Deleted' },
  cancelled: { icon: CircleSlash, color: 'text-faint', label: 'Canceled' },
}

/** A list of tasks as the client shows it: done, in progress, open. */
export function TaskList({ tasks }: { readonly tasks: readonly ListedTask[] }): ReactNode {
  return (
    <FirstOf items={tasks} noun="tasks">
      {(shown) => (
        <ul className="my-1.5 flex flex-col gap-1" aria-label="Tasks">
          {shown.map(({ text, status }, at) => {
            const { icon: Icon, color, label } = STATUSES[status] ?? PENDING
            const isOver = status === 'completed' || status === 'deleted' || status === 'cancelled'
            return (
              <li key={at} className="flex items-start gap-2 text-small">
                <Icon className={`mt-0.5 size-4 shrink-0 ${color}`} role="img" aria-label={label} />
                <span
                  className={`traffic min-w-0 ${isOver ? 'text-faint line-through' : ''} ${status === 'in_progress' ? 'font-medium' : ''}`}
                >
                  {visibleText(text)}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </FirstOf>
  )
}
