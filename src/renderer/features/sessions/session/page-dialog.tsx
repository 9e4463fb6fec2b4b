import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PAGE_PARTS, type PagePart } from '../../../../shared/contract/session-page.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Segments } from '../../../components/segments.tsx'
import { call } from '../../../lib/client.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { viewerZone } from '../../../lib/time-range.ts'
import { formatBytes, formatCount, plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { fileSlug } from '../../../lib/pack-markdown.ts'
import { currency } from '../../../lib/operation.ts'
import { sessionLines } from './session-export.ts'
import { useAction } from '../../../lib/use-action.ts'

const PART_NAMES: Readonly<Record<PagePart, readonly [name: string, note: string]>> = {
  requests: ['Requests as sent', 'not shown on the page: system prompt, memory files (CLAUDE.md)'],
  tools: ['Tool output', 'what commands printed and files contained'],
  thinking: ['Thinking', 'what the model thought before it answered'],
  paths: ['Paths', 'names of folders and files'],
}

const FORMATS = [
  { value: 'html', name: 'HTML pages' },
  { value: 'jsonl', name: 'JSON lines' },
] as const

interface PageDialogProps {
  readonly sessionIds: readonly string[]
  readonly onClose: () => void
}

/** Shows what pages of some sessions would reveal, lets the user leave parts out, and saves a file for each. */
export function PageDialog({ sessionIds, onClose }: PageDialogProps) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('html')
  const [left, setLeft] = useState<readonly PagePart[]>(['requests'])
  const isSeveral = sessionIds.length > 1
  // Lines to import elsewhere are always complete.
  const without = format === 'html' ? left : []
  const contents = useQuery({
    queryKey: ['sessions.page', sessionIds, without],
    queryFn: ({ signal }) => contentsOf(sessionIds, without, signal),
    ...currency('sessions.page'),
  })
  const save = useAction({
    async mutationFn() {
      const files = isSeveral ? plural(sessionIds.length, 'session') : 'the page'
      let cut = 0
      for (const id of sessionIds) cut += await (format === 'html' ? savePage(id, without) : saveLines(id))
      return `Saved ${files}${cut > 0 ? `, without ${plural(cut, 'later event')}` : ''}`
    },
    onSuccess: (notice) => {
      notify(notice)
      onClose()
    },
  })
  const toggle = (part: PagePart) =>
    setLeft((now) => (now.includes(part) ? now.filter((one) => one !== part) : [...now, part]))
  const title = isSeveral ? `Export ${plural(sessionIds.length, 'session')}` : 'Export as a page'
  return (
    <Dialog label={title} onClose={onClose} className="w-[min(32rem,94vw)]">
      <div className="flex flex-col gap-4 p-6">
        <div>
          <h2 className="text-title font-semibold">{title}</h2>
          <p className="text-soft">
            {format === 'html'
              ? `${isSeveral ? 'One HTML file each' : 'One HTML file'} with the transcript, an outline, diffs and costs. It opens offline in any browser, in light and dark, and Aspy can import it.`
              : 'One file each, with all events, to import elsewhere. Nothing is left out.'}{' '}
            Secrets are already redacted.
          </p>
        </div>
        {isSeveral && (
          <div>
            <Segments label="Format" options={FORMATS} value={format} onChange={setFormat} />
          </div>
        )}
        <fieldset className="flex flex-col gap-1" disabled={format !== 'html'}>
          <legend className="mb-1 font-medium">Include</legend>
          {PAGE_PARTS.map((part) => (
            <label key={part} className="flex min-h-7 items-center gap-2.5">
              <input
                type="checkbox"
                checked={!without.includes(part)}
                onChange={() => toggle(part)}
                className="size-4 shrink-0 accent-(--accent)"
              />
              <span>
                {PART_NAMES[part][0]} <span className="text-small text-soft">{PART_NAMES[part][1]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div
          role="status"
          aria-label={isSeveral ? 'Contents of the files' : 'Contents of the page'}
          className="min-h-16 rounded-small bg-sunken px-4 py-3"
        >
          {contents.error ? (
            <p className="text-bad">{contents.error.message}</p>
          ) : contents.data ? (
            <Contents contents={contents.data} isPage={format === 'html'} />
          ) : (
            <p className="text-soft">Counting…</p>
          )}
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Cancel</Button>
          <Button look="primary" disabled={save.isPending || !contents.data} onClick={() => save.mutate()}>
            {save.isPending ? 'Saving…' : isSeveral ? `Save ${plural(sessionIds.length, 'file')}` : 'Save page'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

type PageContents = Omit<OperationOutput<'sessions.page'>, 'session_id' | 'document'>

/** Adds up the contents of the pages of some sessions. */
async function contentsOf(sessionIds: readonly string[], without: readonly PagePart[], signal: AbortSignal) {
  const sum = { events: 0, words: 0, requests: 0, request_words: 0, files: 0, folders: 0, images: 0, bytes: 0, cut: 0 }
  for (const id of sessionIds) {
    const page = await call('sessions.page', { session_id: id, without: [...without], tz: viewerZone() }, signal)
    for (const name of Object.keys(sum) as (keyof PageContents)[]) sum[name] += page[name]
  }
  return sum
}

/** Names a page after its title, as it is written in it: what was left out of the page is not in the name either. */
function pageFileName(id: string, document: string): string {
  const title = /<title>([^<]*)/.exec(document)?.[1] ?? ''
  const slug = fileSlug(title.replaceAll(/&#?\w+;/g, ' '))
  return `session-${slug === '' ? '' : `${slug}-`}${id.slice(0, 8)}.html`
}

/** Saves the page of a session, and returns how many later events it lacks. */
async function savePage(id: string, without: readonly PagePart[]): Promise<number> {
  const page = await call('sessions.page', { session_id: id, without: [...without], tz: viewerZone(), format: 'html' })
  saveFile(pageFileName(id, page.document ?? ''), page.document ?? '')
  return page.cut
}

async function saveLines(id: string): Promise<number> {
  saveFile(`session-${id}.jsonl`, `${(await sessionLines(id)).join('\n')}\n`)
  return 0
}

function Contents({ contents, isPage }: { readonly contents: PageContents; readonly isPage: boolean }) {
  const { events, words, requests, request_words, files, folders, images, bytes, cut } = contents
  return (
    <>
      <p>
        {plural(events, 'event')} · {plural(words, 'word')}
        {isPage && ` · ${formatBytes(bytes)}`}
      </p>
      <p className="text-small text-soft">
        Names {plural(files, 'file')} in {plural(folders, 'folder')}
        {images > 0 && `, and mentions ${plural(images, 'image')} without showing them`}.
      </p>
      {isPage && requests > 0 && (
        <p className="text-small text-soft">
          Not shown, but in the file for an import: {plural(requests, 'request')} as sent, of{' '}
          {plural(request_words, 'word')}.
        </p>
      )}
      {isPage && cut > 0 && (
        <p className="text-small text-warn">
          Too long: the last {formatCount(cut)} events are left out. The command line writes longer pages.
        </p>
      )}
    </>
  )
}
