import { type ReactNode, useEffect } from 'react'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { deletedSoon } from '../../shared/deleted-soon.ts'
import { formatBytes, formatDuration, plural } from '../lib/format.ts'
import { type ImportStatus, importSummary, useImportControl, useImportStatus } from '../lib/import-job.ts'
import { useOperation } from '../lib/operation.ts'
import { Button } from './button.tsx'

type Found = OperationOutput<'transcripts.find'>

/** Offers to import the transcripts on this machine. `onStart` is called when the import was asked for. */
export function ImportOffer({ onStart }: { readonly onStart?: () => void }): ReactNode {
  const found = useOperation('transcripts.find', {})
  const status = useImportStatus()
  const { start } = useImportControl()
  const { refetch } = found
  const state = status?.state
  useEffect(() => {
    if (state !== undefined && state !== 'running') void refetch()
  }, [state, refetch])

  const soon = found.data === undefined ? null : deletedSoon(found.data)
  // The strip at the bottom of every view shows the progress.
  if (status?.state === 'running')
    return <p className="text-small text-soft">Importing. See the bottom of the window.</p>
  return (
    <div className="flex flex-col gap-2">
      {status !== undefined && <Ended status={status} />}
      <p className="text-small text-soft">{found.error ? found.error.message : offer(found.data)}</p>
      {soon !== null && <p className="text-small text-soft">{soon}</p>}
      {found.data !== undefined && found.data.new_bytes > 0 && (
        <div>
          <Button
            look="primary"
            onClick={() => {
              start()
              onStart?.()
            }}
          >
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
  const { sessions, files, bytes, new_bytes, estimate_s, imported_files, following, prompt_histories } = found
  if (files === 0 && prompt_histories > 0) return 'No transcripts found on this machine, only the list of all prompts.'
  if (files === 0) return 'No transcripts found on this machine.'
  const follows = following ? ' New lines are imported as they are written.' : ''
  if (new_bytes === 0) return `${plural(sessions, 'session')}, ${formatBytes(bytes)}, all imported.${follows}`
  const known = imported_files === 0 ? '' : ` (${formatBytes(new_bytes)} new)`
  return `${plural(sessions, 'session')}, ${formatBytes(bytes)}${known}: about ${formatDuration(estimate_s * 1000)}.`
}
