import type { OperationOutput } from '../../shared/contract/index.ts'
import { subscribe } from './client.ts'

export type ImportProgress = OperationOutput<'transcripts.import'>

/** The transcript import started by this window. It continues while other views are open. */
export type ImportJob =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: ImportProgress | null }
  | { readonly state: 'done'; readonly progress: ImportProgress }
  | { readonly state: 'failed'; readonly error: Error }

const listeners = new Set<() => void>()
let job: ImportJob = { state: 'idle' }
let end: () => void = () => undefined

function setJob(next: ImportJob): void {
  job = next
  for (const listener of listeners) listener()
}

export const currentImport = (): ImportJob => job

export function subscribeImport(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Imports the transcripts that were found. Does nothing while an import is running. */
export function startImport(onEnd: () => void): void {
  if (job.state === 'running') return
  setJob({ state: 'running', progress: null })
  let last: ImportProgress | null = null
  end = subscribe(
    'transcripts.import',
    {},
    (progress) => {
      last = progress
      setJob(progress.done ? { state: 'done', progress } : { state: 'running', progress })
    },
    (error) => {
      if (error) setJob({ state: 'failed', error })
      else if (!last?.done) setJob({ state: 'idle' })
      onEnd()
    },
  )
}

/** Stops the import. Imported events are kept, and the next import continues from there. */
export function stopImport(onEnd: () => void): void {
  end()
  setJob({ state: 'idle' })
  onEnd()
}
