import { useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Fold } from '../../../components/fold.tsx'
import { plural } from '../../../lib/format.ts'
import { shortPath } from '../../../../shared/short-path.ts'
import { FileStates } from './file-states.tsx'

type CommandFile = OperationOutput<'files.tree'>['items'][number]

interface CommandFilesProps {
  readonly files: readonly CommandFile[]
  readonly project: string | null
  /** Opens an event of any session. */
  readonly onOpen: (uuid: string, sessionId: string) => void
}

/** Files that commands of a session changed or deleted, as far as their text says so; each opens its history. */
export function CommandFiles({ files, project, onOpen }: CommandFilesProps) {
  const [open, setOpen] = useState<string | null>(null)
  if (files.length === 0) return null
  return (
    <section aria-label="Changed by commands" className="mt-4">
      <h3 className="text-small font-medium">{plural(files.length, 'file')} changed by commands</h3>
      <ul className="mt-2 flex flex-col gap-2">
        {files.map(({ path, state, is_new: isNew }) => (
          <li key={path} className="rounded-medium border bg-surface px-3 py-2">
            <Fold open={open === path} onToggle={() => setOpen(open === path ? null : path)}>
              <span className="min-w-0 flex-1 truncate font-mono text-small" title={path}>
                {visibleText(shortPath(path, project))}
              </span>
              <span className="shrink-0 text-meta text-faint">
                {state === 'deleted' ? 'deleted' : isNew ? 'new' : 'changed'}
              </span>
            </Fold>
            {open === path && <FileStates path={path} onOpen={onOpen} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
