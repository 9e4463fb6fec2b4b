import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { diffParts } from '../../../../shared/change-lines.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { DiffView } from '../../../components/diff-view.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { call } from '../../../lib/client.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { useAction } from '../../../lib/use-action.ts'

interface RestoreDialogProps {
  readonly path: string
  readonly uuid: string
  readonly onClose: () => void
}

/** Asks what restoring a file would write; nothing is written. */
export const restorePreview = (path: string, uuid: string, out?: string) =>
  queryOptions({
    queryKey: ['files.restore', path, uuid, out],
    queryFn: ({ signal }) => call('files.restore', { path, uuid, out, preview: true }, signal),
    gcTime: 0,
    retry: false,
  })

/** Shows what restoring a file would write, and writes it to a place where nothing is: beside the file, or as typed. */
export function RestoreDialog({ path, uuid, onClose }: RestoreDialogProps) {
  const [typed, setTyped] = useState('')
  const out = useDebounced(typed.trim(), 300) || undefined
  const queries = useQueryClient()
  const preview = useQuery(restorePreview(path, uuid, out))
  const write = useAction({
    // The place that was shown: if something is there by now, nothing is written.
    mutationFn: (out: string) => call('files.restore', { path, uuid, out }),
    onSuccess({ out, is_same: isSame }) {
      notify(isSame ? `${out} is already so` : `Wrote ${out}`)
      void queries.invalidateQueries({ queryKey: ['files.restore', path] })
      onClose()
    },
  })
  // Works for any place, even if the project's folder is gone.
  const download = useAction({
    mutationFn: () => call('files.at', { path, uuid }),
    onSuccess({ lines, line_ending: ending }) {
      const text = lines.map((line) => line.text ?? '').join(ending === 'crlf' ? '\r\n' : '\n')
      saveFile(path.split(/[\\/]/).at(-1) ?? 'file', text)
    },
  })
  return (
    <Dialog label="Restore a file" onClose={onClose} className="w-[min(52rem,94vw)]">
      <div className="flex flex-col gap-3 p-6 max-[560px]:p-4">
        <h2 className="text-title font-semibold">Restore a file</h2>
        {preview.error ? (
          <p role="alert" className="text-bad first-letter:uppercase">
            {preview.error.message}
          </p>
        ) : preview.data ? (
          <Preview answer={preview.data} />
        ) : (
          <p className="text-soft">Comparing…</p>
        )}
        <label className="flex flex-col gap-1 text-small text-soft">
          Write it elsewhere in a project
          <input
            type="text"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            placeholder={preview.data?.out ?? path}
            className="h-8 rounded-small border border-line-strong bg-surface px-2.5 font-mono text-small text-ink placeholder:text-faint"
          />
        </label>
        <div className="flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Cancel</Button>
          <Button title="Save the text where the browser puts its downloads" onClick={() => download.mutate()}>
            <Download className="size-4" aria-hidden />
            Download
          </Button>
          <Button
            look="primary"
            disabled={write.isPending || preview.data?.is_same !== false || out !== (typed.trim() || undefined)}
            onClick={() => preview.data && write.mutate(preview.data.out)}
          >
            {write.isPending ? 'Writing…' : 'Write the file'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Preview({ answer }: { readonly answer: OperationOutput<'files.restore'> }) {
  const {
    path,
    out,
    lines,
    diff,
    holes,
    is_whole: isWhole,
    doubted_since: since,
    line_ending: ending,
    is_same: isSame,
  } = answer
  const change = useMemo(() => ({ path, change: 'update' as const, parts: diffParts(diff ?? '') }), [path, diff])
  const doubts = [
    ...(holes.length === 0 ? [] : [`${plural(holes.length, 'line')} not recorded, and empty here.`]),
    ...(isWhole ? [] : ['The file may have had more lines.']),
    ...(since === null ? [] : ['A call may have changed it since its text was known.']),
    ...(ending === null && !isSame ? ['How its lines ended is not recorded: they end with LF.'] : []),
  ]
  return (
    <>
      <p>
        {isSame ? 'Nothing to write' : plural(lines, 'line')} to{' '}
        <code className="font-mono text-small break-all">{visibleText(out)}</code>
      </p>
      {doubts.length > 0 && <p className="text-small text-warn">{doubts.join(' ')}</p>}
      <p className="text-small text-soft">
        {diff === null
          ? 'The present file is too large to compare, or is not text.'
          : diff === ''
            ? 'The present file has the same text.'
            : diff.includes('@@ -0,0 ')
              ? 'Nothing is there now, so all of it is new:'
              : `Compared with ${visibleText(path)} as it is now:`}
      </p>
      {diff !== null && diff !== '' && <DiffView file={change} />}
    </>
  )
}
