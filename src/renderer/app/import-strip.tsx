import { Download } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { importProgress, importShare, useImportControl, useImportEnd, useImportStatus } from '../lib/import-job.ts'

/** Shows a running import on every view. A notice reports its end. */
export function ImportStrip() {
  const status = useImportStatus()
  const { stop } = useImportControl()
  useImportEnd()
  if (status?.state !== 'running') return null
  return (
    <section
      aria-label="Import"
      className="flex min-w-0 items-center gap-3 border-t bg-sunken px-4 py-1 text-meta text-soft"
    >
      <Download className="size-4 shrink-0 text-accent" aria-hidden />
      <span className="shrink-0 font-medium text-ink">Importing</span>
      <progress
        aria-label="Import of past sessions"
        value={importShare(status)}
        className="h-1.5 w-24 shrink-0 accent-(--accent) sm:w-40"
      />
      <span className="truncate tabular-nums" title={status.progress?.file ?? undefined}>
        {importProgress(status)}
      </span>
      <Button size="small" look="ghost" className="ml-auto" onClick={stop}>
        Stop
      </Button>
    </section>
  )
}
