import { type ReactNode, useEffect } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatBytes, formatDuration, plural } from '../lib/format.ts'
import {
  type ImportStatus,
  importProgress,
  importShare,
  importSummary,
  useImportControl,
  useImportStatus,
} from '../lib/import-job.ts'
import { useOperation } from '../lib/operation.ts'
import { Button } from './button.tsx'
import { ProgressBar } from './progress-bar.tsx'

type Found = OperationOutput<'transcripts.find'>

/** Offers to import the transcripts on this machine and shows the progress. */
export function ImportOffer(): ReactNode {
  const found = useOperation('transcripts.find', {})
  const status = useImportStatus()
  const { start, stop } = useImportControl()
  const { refetch } = found
  const state = status?.state
  useEffect(() => {
    if (state !== undefined && state !== 'running') void refetch()
  }, [state, refetch])

  if (status?.state === 'running') {
    return (
      <div className="flex flex-col gap-2">
        <ProgressBar label="Transcript import" share={importShare(status)} />
        <div className="flex items-center gap-3">
          <p className="min-w-0 text-small text-soft">
            {importProgress(status)}
            <span className="block truncate font-mono text-meta text-faint">{status.progress?.file ?? '\u00a0'}</span>
          </p>
          <Button className="ml-auto" onClick={stop}>
            Stop
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      {status !== undefined && <Ended status={status} />}
      <p className="text-small text-soft">{found.error ? found.error.message : offer(found.data)}</p>
      {found.data !== undefined && found.data.new_bytes > 0 && (
        <div>
          <Button look="primary" onClick={start}>
            Import
          </Button>
        </div>
      )}
    </div>
  )
}

function Ended({ status }: { status: ImportStatus }) {
  switch (status.state) {
    case 'done':
      return (
        <p className="text-small" role="status">
          Imported {importSummary(status)}. See Sessions, Recall and Costs.
        </p>
      )
    case 'stopped':
      return <p className="text-small">Stopped. What was imported is kept: {importSummary(status)}.</p>
    case 'failed':
      return <p className="text-small text-bad">The import failed: {status.error}</p>
    case 'idle':
    case 'running':
      return null
  }
}

/** Summarizes the transcripts found: "412 sessions, 1.1 GB: about 20 s". */
function offer(found: Found | undefined): string {
  if (!found) return 'Looking for transcripts…'
  const { sessions, files, bytes, new_bytes, estimate_s, imported_files, following } = found
  if (files === 0) return 'No transcripts found on this machine.'
  const follows = following ? ' New lines are imported as they are written.' : ''
  if (new_bytes === 0) return `${plural(sessions, 'session')}, ${formatBytes(bytes)}, all imported.${follows}`
  const known = imported_files === 0 ? '' : ` (${formatBytes(new_bytes)} new)`
  return `${plural(sessions, 'session')}, ${formatBytes(bytes)}${known}: about ${formatDuration(estimate_s * 1000)}.`
}
