import type { OperationOutput } from '../../shared/contract/index.ts'
import { subscribe } from './client.ts'

export type ImportProgress = OperationOutput<'transcripts.import'>

/** The import of transcripts that this window asked for; it goes on while other views are open. */
export type ImportJob =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: ImportProgress | null }
  | { readonly state: 'done'; readonly progress: ImportProgress }
  | { readonly state: 'failed'; readonly error: Error }

const listeners = new Set<() => void>()
let job: ImportJob = { state: 'idle' }
let end: () => void = () => undefined

function become(next: ImportJob): void {
  job = next
  for (const listener of listeners) listener()
}

export const currentImport = (): ImportJob => job

export function subscribeImport(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Imports what was found; a second call while it runs does nothing. */
export function startImport(onEnd: () => void): void {
  if (job.state === 'running') return
  become({ state: 'running', progress: null })
  let last: ImportProgress | null = null
  end = subscribe(
    'transcripts.import',
    {},
    (progress) => {
      last = progress
      become(progress.done ? { state: 'done', progress } : { state: 'running', progress })
    },
    (error) => {
      if (error) become({ state: 'failed', error })
      else if (!last?.done) become({ state: 'idle' })
      onEnd()
    },
  )
}

/** Ends it where it is; what was read is kept, and the next one goes on from there. */
export function stopImport(onEnd: () => void): void {
  end()
  become({ state: 'idle' })
  onEnd()
}
