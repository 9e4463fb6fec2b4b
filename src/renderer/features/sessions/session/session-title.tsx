import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { RenameField } from '../list/rename-field.tsx'

interface SessionTitleProps {
  readonly title: string | null
  readonly isRenaming: boolean
  /** Called with the new name, or null if the user cancelled. */
  readonly onRenamed: (title: string | null) => void
}

/** A session's name, or the field that edits it in place. */
export function SessionTitle({ title, isRenaming, onRenamed }: SessionTitleProps) {
  if (isRenaming) return <RenameForm title={title ?? ''} onRenamed={onRenamed} />
  return (
    <h1 className="traffic line-clamp-2 max-[700px]:basis-full max-[700px]:text-lead max-[700px]:leading-6 text-title leading-7 font-semibold tracking-tight">
      {visibleText(title ?? 'Untitled session')}
    </h1>
  )
}

function RenameForm({ title, onRenamed }: { title: string; onRenamed: (title: string | null) => void }) {
  return (
    <form
      className="flex min-w-0 flex-1 flex-wrap items-center gap-2 max-[700px]:basis-full"
      onSubmit={(event) => {
        event.preventDefault()
        onRenamed(String(new FormData(event.currentTarget).get('title')))
      }}
    >
      <RenameField
        title={title}
        onDone={onRenamed}
        isInForm
        className="h-8 min-w-40 flex-1 basis-64 text-title font-semibold tracking-tight"
      />
      <Button type="submit" look="primary">
        Save
      </Button>
      <Button onClick={() => onRenamed(null)}>Cancel</Button>
    </form>
  )
}
