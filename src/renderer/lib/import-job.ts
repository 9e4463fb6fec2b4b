import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { call } from './client.ts'
import { formatCount, formatDuration, plural } from './format.ts'
import { notify } from './notices.ts'

/** The app's import of past sessions. It runs in the app: closing or reloading the window does not stop it. */
export type ImportStatus = OperationOutput<'transcripts.status'>

const RUNNING_MS = 500
/** Another window may have started it. */
const IDLE_MS = 5000

const statusQuery = queryOptions({
  queryKey: ['transcripts.status'],
  queryFn: ({ signal }) => call('transcripts.status', {}, signal),
  refetchInterval: ({ state }) => (state.data?.state === 'running' ? RUNNING_MS : IDLE_MS),
})

/** Returns the state of the import; undefined until it is known. */
export function useImportStatus(): ImportStatus | undefined {
  return useQuery(statusQuery).data
}

/** Returns functions that start and stop the import. */
export function useImportControl(): { readonly start: () => void; readonly stop: () => void } {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (name: 'transcripts.start' | 'transcripts.stop') => call(name, {}),
    onSuccess: (status) => queries.setQueryData(statusQuery.queryKey, status),
    onError: (error) => notify(error.message, 'warn'),
  })
  return { start: () => change.mutate('transcripts.start'), stop: () => change.mutate('transcripts.stop') }
}

/** Reports the end of an import that was running in view of this window, and loads again what it changed. */
export function useImportEnd(): void {
  const queries = useQueryClient()
  const status = useImportStatus()
  const seen = useRef<ImportStatus['state'] | undefined>(undefined)
  useEffect(() => {
    if (status === undefined) return
    if (seen.current === 'running' && status.state !== 'running') {
      if (status.state === 'done') notify(`Import finished: ${importSummary(status)}`)
      if (status.state === 'failed') notify(`The import failed: ${status.error ?? 'unknown error'}`, 'warn')
      void queries.invalidateQueries()
    }
    seen.current = status.state
  }, [status, queries])
}

/** Sums up an import: "5 sessions · 3,990 events · 12 s". */
export function importSummary({ sessions, events_added, worked_ms }: ImportStatus): string {
  return [plural(sessions, 'session'), plural(events_added, 'event'), formatDuration(worked_ms)].join(' · ')
}

/** Describes what is read now: "12 of 55 files · 3,990 events". */
export function importProgress({ progress, events_added }: ImportStatus): string {
  if (progress === null) return 'Starting…'
  return `${formatCount(progress.files_done)} of ${plural(progress.files, 'file')} · ${plural(events_added, 'event')}`
}

/** Returns the share of the bytes that were read, from 0 to 1. */
export function importShare({ progress }: ImportStatus): number {
  return progress === null || progress.bytes === 0 ? 0 : Math.min(1, progress.bytes_done / progress.bytes)
}
