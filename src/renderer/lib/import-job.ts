import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { call } from './client.ts'
import { formatCount, formatDay, formatDuration, plural } from './format.ts'
import { notify } from './notices.ts'
import { operationQuery, useOperation } from './operation.ts'
import { useAction } from './use-action.ts'

/** The app's import of past sessions. It runs in the app: closing or reloading the window does not stop it. */
export type ImportStatus = OperationOutput<'transcripts.status'>

/** Interval for refetching the figures that a preview adds. */
const PREVIEW_LOAD_MS = 2000

/** Returns the state of the import; undefined until it is known. */
export const useImportStatus = (): ImportStatus | undefined => useOperation('transcripts.status', {}).data

/** Returns functions that start and stop the import. */
export function useImportControl(): { readonly start: () => void; readonly stop: () => void } {
  const queries = useQueryClient()
  const change = useAction({
    mutationFn: (name: 'transcripts.start' | 'transcripts.stop') => call(name, {}),
    onSuccess: (status) => queries.setQueryData(operationQuery('transcripts.status', {}).queryKey, status),
  })
  return { start: () => change.mutate('transcripts.start'), stop: () => change.mutate('transcripts.stop') }
}

/**
 * Reports the end of an import that this window saw running, and reloads the data that the import or its preview
 * changed.
 */
export function useImportEnd(): void {
  const queries = useQueryClient()
  const status = useImportStatus()
  const seen = useRef<ImportStatus['state'] | undefined>(undefined)
  const wasPreviewing = useRef(false)
  const loadedAt = useRef(0)
  useEffect(() => {
    if (status === undefined) return
    const isPreviewing = status.progress?.previewing === true
    const now = performance.now()
    if (isPreviewing ? now - loadedAt.current > PREVIEW_LOAD_MS : wasPreviewing.current) {
      loadedAt.current = now
      void queries.invalidateQueries()
    }
    wasPreviewing.current = isPreviewing
    if (seen.current === 'running' && status.state !== 'running') {
      if (status.state === 'done') notify(`Import finished: ${importSummary(status)}`)
      if (status.state === 'failed') notify(`The import failed: ${status.error ?? 'unknown error'}`, 'warn')
      void queries.invalidateQueries()
    }
    seen.current = status.state
  }, [status, queries])
}

/** Sums up an import: "5 sessions · 3,990 events · 12 s". */
export const importSummary = ({ sessions, events_added, worked_ms }: ImportStatus): string =>
  [plural(sessions, 'session'), plural(events_added, 'event'), formatDuration(worked_ms)].join(' · ')

/** Describes the import's progress: "12 of 55 files · 3,990 events". */
export function importProgress({ progress, events_added }: ImportStatus): string {
  if (progress === null) return 'Starting…'
  if (progress.previewing) return `Figures of ${plural(progress.files, 'file')} first`
  const covered = progress.search_covers_since
  const day = covered === null ? '' : formatDay(new Date(covered), true)
  // The newest files come first: of today alone there is nothing to say.
  const search = day === '' || day === formatDay(new Date(), true) ? '' : ` · search covers back to ${day}`
  const files = `${formatCount(progress.files_done)} of ${plural(progress.files, 'file')}`
  return `${files} · ${plural(events_added, 'event')}${search}`
}

/** Returns the share of the bytes that were read, from 0 to 1. */
export function importShare({ progress }: ImportStatus): number {
  if (progress === null || progress.bytes === 0) return 0
  return Math.min(1, (progress.previewing ? progress.bytes_previewed : progress.bytes_done) / progress.bytes)
}
