import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PAGE_PARTS, type PagePart } from '../../../../shared/contract/session-page.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { call } from '../../../lib/client.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { formatBytes, formatCount, plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'

const PART_NAMES: Readonly<Record<PagePart, readonly [name: string, note: string]>> = {
  tools: ['Tool output', 'what commands printed and files contained'],
  thinking: ['Thinking', 'what the model thought before it answered'],
  paths: ['Paths', 'names of folders and files'],
}

/** Says what a page of the session would give away, lets the user leave parts out, and saves it. */
export function PageDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [without, setWithout] = useState<readonly PagePart[]>([])
  const contents = useQuery({
    queryKey: ['sessions.page', sessionId, without],
    queryFn: ({ signal }) => call('sessions.page', { session_id: sessionId, without: [...without] }, signal),
    placeholderData: (before) => before,
  })
  const save = useMutation({
    mutationFn: () => call('sessions.page', { session_id: sessionId, without: [...without], format: 'html' }),
    onSuccess: ({ document: page = '', cut }) => {
      const name = `session-${sessionId}.html`
      saveFile(name, page)
      notify(`Saved ${name}${cut > 0 ? `, without ${plural(cut, 'later event')}` : ''}`)
      onClose()
    },
    onError: (error) => notify(error.message, 'warn'),
  })
  const toggle = (part: PagePart) =>
    setWithout((now) => (now.includes(part) ? now.filter((one) => one !== part) : [...now, part]))
  return (
    <Dialog label="Export as a page" onClose={onClose} className="w-[min(32rem,94vw)]">
      <div className="flex flex-col gap-4 p-6">
        <div>
          <h2 className="text-title font-semibold">Export as a page</h2>
          <p className="text-soft">
            One HTML file with the transcript, diffs, timeline and costs. It opens offline in any browser, and Aspy can
            import it. Secrets are already redacted.
          </p>
        </div>
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium">Include</legend>
          {PAGE_PARTS.map((part) => (
            <label key={part} className="flex min-h-7 items-center gap-2.5">
              <input
                type="checkbox"
                checked={!without.includes(part)}
                onChange={() => toggle(part)}
                className="size-4 accent-(--accent)"
              />
              <span>
                {PART_NAMES[part][0]} <span className="text-small text-soft">{PART_NAMES[part][1]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div role="status" aria-label="Contents of the page" className="min-h-16 rounded-small bg-sunken px-4 py-3">
          {contents.error ? (
            <p className="text-bad">{contents.error.message}</p>
          ) : contents.data ? (
            <Contents contents={contents.data} />
          ) : (
            <p className="text-soft">Counting…</p>
          )}
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Cancel</Button>
          <Button look="primary" disabled={save.isPending || !contents.data} onClick={() => save.mutate()}>
            {save.isPending ? 'Saving…' : 'Save page'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Contents({ contents }: { contents: OperationOutput<'sessions.page'> }) {
  const { events, words, files, folders, images, bytes, cut } = contents
  return (
    <>
      <p>
        {plural(events, 'event')} · {plural(words, 'word')} · about {formatBytes(bytes)}
      </p>
      <p className="text-small text-soft">
        Names {plural(files, 'file')} in {plural(folders, 'folder')}
        {images > 0 && `, and mentions ${plural(images, 'image')} without showing them`}.
      </p>
      {cut > 0 && (
        <p className="text-small text-warn">
          Too long: the last {formatCount(cut)} events are left out. The command line writes longer pages.
        </p>
      )}
    </>
  )
}
