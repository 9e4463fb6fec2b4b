import { useMemo } from 'react'
import { diffParts } from '../../shared/change-lines.ts'
import type { Advice } from '../../shared/contract/advice.ts'
import { DiffView } from './diff-view.tsx'

/** The steps of a fix, and the changes of files that it makes. */
export function AdviceFix({ fix }: { readonly fix: NonNullable<Advice['fix']> }) {
  const changes = useMemo(
    () => fix.files.map(({ path, diff }) => ({ path, change: 'update' as const, parts: diffParts(diff) })),
    [fix.files],
  )
  return (
    <>
      <ul className="mt-1 list-disc pl-5">
        {fix.steps.map((step) => (
          <li key={step} className="break-words">
            {step}
          </li>
        ))}
      </ul>
      {changes.map((file) => (
        <DiffView key={file.path} file={file} isNamed />
      ))}
    </>
  )
}
