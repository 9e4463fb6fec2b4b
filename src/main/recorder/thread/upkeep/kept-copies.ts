import type { CopyReport } from '../../../../shared/contract/redaction.ts'
import { removeCopy } from '../../../store/delete/scrub.ts'
import { examineCopy } from '../../../store/redact/examine-copy.ts'
import { keptCopies } from '../../../store/transfer/kept-copies.ts'
import type { PastRedactionOptions } from './past-redaction.ts'
import type { Steps } from './steps.ts'

/** Maximum time without a step. */
const SLICE_MS = 10

/** Reports whether the current rules would change the copies that Aspy keeps. */
export function* examineCopies({ databasePath, redactor, store }: PastRedactionOptions): Steps<readonly CopyReport[]> {
  const reports: CopyReport[] = []
  for (const copy of keptCopies(databasePath)) {
    const work = examineCopy(copy, redactor)
    try {
      let deadline = performance.now() + SLICE_MS
      let step = work.next()
      for (; !step.done; step = work.next()) {
        if (performance.now() < deadline) continue
        yield {}
        store() // Throws if the store was closed meanwhile.
        deadline = performance.now() + SLICE_MS
      }
      reports.push({ path: copy.path, content: step.value })
    } finally {
      work.return('unreadable')
    }
  }
  return reports
}

/** Removes those of the copies that Aspy keeps whose paths are given. Returns the removed paths. */
export function* removeCopies(databasePath: string, paths: readonly string[]): Steps<readonly string[]> {
  const removed: string[] = []
  for (const { path, files } of keptCopies(databasePath)) {
    if (!paths.includes(path)) continue
    for (const file of files) for (const pauseMs of removeCopy(file, true)) yield { pauseMs }
    removed.push(path)
  }
  return removed
}
