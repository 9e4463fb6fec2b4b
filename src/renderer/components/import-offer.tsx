import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSyncExternalStore } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { call } from '../lib/client.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../lib/format.ts'
import { currentImport, startImport, stopImport, subscribeImport, type ImportProgress } from '../lib/import-job.ts'
import { Button } from './button.tsx'

type Found = OperationOutput<'transcripts.find'>

const foundQuery = queryOptions({
  queryKey: ['transcripts.find'],
  queryFn: ({ signal }) => call('transcripts.find', {}, signal),
  staleTime: 60_000,
})

/** Offers to import the transcripts on this machine and shows the progress. */
export function ImportOffer(): ReactNode {
  const queryClient = useQueryClient()
  const found = useQuery(foundQuery)
  const job = useSyncExternalStore(subscribeImport, currentImport)
  const refresh = () => void queryClient.invalidateQueries()

  if (job.state === 'running') {
    return (
      <div className="flex flex-col gap-2">
        <ProgressBar progress={job.progress} />
        <div className="flex items-center gap-3">
          <p className="text-small text-soft">{describe(job.progress)}</p>
          <Button className="ml-auto" onClick={() => stopImport(refresh)}>
            Stop
          </Button>
        </div>
      </div>
    )
  }
  if (job.state === 'done') {
    const { events_added, files } = job.progress
    return (
      <p className="text-small" role="status">
        Imported {plural(events_added, 'event')} from {plural(files, 'file')}. See them in Sessions, Recall and Costs.
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-small text-soft">
        {job.state === 'failed' ? job.error.message : found.error ? found.error.message : offer(found.data)}
      </p>
      {found.data !== undefined && found.data.new_bytes > 0 && (
        <div>
          <Button look="primary" onClick={() => startImport(refresh)}>
            Import
          </Button>
        </div>
      )}
    </div>
  )
}

function ProgressBar({ progress }: { readonly progress: ImportProgress | null }) {
  const share = progress && progress.bytes > 0 ? progress.bytes_done / progress.bytes : 0
  return (
    <div
      role="progressbar"
      aria-label="Transcript import"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className="h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  )
}

/** Summarizes what was found: "412 sessions, 1.1 GB: about 20 s". */
function offer(found: Found | undefined): string {
  if (!found) return 'Looking for transcripts…'
  const { sessions, files, bytes, new_bytes, estimate_s, imported_files, following } = found
  if (files === 0) return 'No transcripts found on this machine.'
  const follows = following ? ' New lines are imported as they are written.' : ''
  if (new_bytes === 0) return `${plural(sessions, 'session')}, ${formatBytes(bytes)}, all imported.${follows}`
  const known = imported_files === 0 ? '' : ` (${formatBytes(new_bytes)} new)`
  return `${plural(sessions, 'session')}, ${formatBytes(bytes)}${known}: about ${formatDuration(estimate_s * 1000)}.`
}

function describe(progress: ImportProgress | null): string {
  if (!progress) return 'Starting…'
  const { files_done, files, events_added } = progress
  return `${formatCount(files_done)} of ${plural(files, 'file')}, ${plural(events_added, 'event')}`
}
