import { type ReactNode, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { firstCharacters } from '../../../../shared/cut-text.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatMoment, plural } from '../../../lib/format.ts'
import { isPacked, type PackedHit, togglePacked, usePack } from '../../../lib/pack-store.ts'
import { StruckText } from './struck-text.tsx'

type Dropped = OperationOutput<'compactions.dropped'>
type Item = Dropped['items'][number]

/** Groups in order of importance to a person. */
const GROUPS: readonly (readonly [group: Item['group'], name: string])[] = [
  ['decision', 'Decisions'],
  ['prompt', 'Prompts'],
  ['answer', 'Answers'],
  ['thought', 'Thoughts'],
]
/** Rows of a group that are shown at first. */
const SHOWN = 5

interface DroppedGroupsProps {
  readonly items: readonly Item[]
  readonly files: Dropped['files']
  readonly onOpen: (uuid: string) => void
  /** False if the summary is encrypted, so its omissions are not known. */
  readonly isSummaryKnown: boolean
}

/** The kinds of hits that Recall gives these texts, so that a text is the same hit in both. */
const HIT_TYPES = { user_prompt: 'user_prompt', assistant_text: 'assistant_response', thinking: 'thinking' } as const

/** Dropped texts: decisions, files, prompts, answers and thoughts, each with a box that adds it to the pack. */
export function DroppedGroups({ items, files, onOpen, isSummaryKnown }: DroppedGroupsProps) {
  const Path = isSummaryKnown ? 'del' : 'span'
  const [decisions, ...others] = GROUPS.map(([group, name]) => (
    <Group key={group} name={name} rows={items.filter((item) => item.group === group)}>
      {(item) => <Row item={item} isSummaryKnown={isSummaryKnown} onOpen={onOpen} />}
    </Group>
  ))
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {decisions}
      <Group
        name="Files"
        rows={files}
        action={
          <CopyButton
            size="small"
            label="Copy paths"
            text={files.map(({ path }) => path).join('\n')}
            notice={`Copied ${plural(files.length, 'path')}`}
          />
        }
      >
        {(file) => (
          <div className="flex min-w-0 items-center gap-2">
            <PackBox hit={{ uuid: file.uuid, match_type: 'tool' }} name={file.path} />
            <button
              type="button"
              onClick={() => onOpen(file.uuid)}
              className="flex min-h-6 min-w-0 flex-1 items-baseline gap-2 rounded-small px-1 text-left hover:bg-hover"
            >
              <Path className="traffic min-w-0 truncate font-mono text-meta decoration-bad">
                {visibleText(file.path)}
              </Path>
              <span className="ml-auto shrink-0 text-micro text-faint">{file.edited ? 'edited' : 'read'}</span>
            </button>
          </div>
        )}
      </Group>
      {others}
    </div>
  )
}

interface GroupProps<Row> {
  readonly name: string
  readonly rows: readonly Row[]
  readonly action?: ReactNode
  readonly children: (row: Row) => ReactNode
}

function Group<Row extends { readonly uuid: string }>({ name, rows, action, children }: GroupProps<Row>) {
  const [isOpen, setOpen] = useState(false)
  if (rows.length === 0) return null
  return (
    <section aria-label={name}>
      <div className="flex items-center gap-2">
        <h4 className="label">
          {name} <span className="text-faint">{rows.length}</span>
        </h4>
        <div className="ml-auto">{action}</div>
      </div>
      <ul className="mt-0.5 flex flex-col">
        {(isOpen ? rows : rows.slice(0, SHOWN)).map((row) => (
          <li key={row.uuid} className="border-t py-1 first:border-0">
            {children(row)}
          </li>
        ))}
      </ul>
      {rows.length > SHOWN && (
        <Button size="small" look="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${rows.length}`}
        </Button>
      )}
    </section>
  )
}

interface RowProps extends Pick<DroppedGroupsProps, 'onOpen' | 'isSummaryKnown'> {
  readonly item: Item
}

function Row({ item, onOpen, isSummaryKnown }: RowProps) {
  const { uuid, content, missing, missing_words: words, times, timestamp } = item
  return (
    <div className="flex min-w-0 items-start gap-2">
      <PackBox hit={{ uuid, match_type: HIT_TYPES[item.kind] }} name={content} />
      <button
        type="button"
        onClick={() => onOpen(uuid)}
        title={`Open it in the session${isSummaryKnown ? `. ${plural(missing, 'word')} not in the summary` : ''}`}
        className="min-w-0 flex-1 rounded-small text-left hover:bg-hover"
      >
        <span className="traffic line-clamp-3 text-small">
          <StruckText text={content} words={isSummaryKnown ? words : []} />
        </span>
        <span className="text-micro text-faint">
          {formatMoment(timestamp)}
          {times > 1 && ` · ${times} times`}
        </span>
      </button>
    </div>
  )
}

/** Adds a text to the pack of this tab, or removes it. */
function PackBox({ hit, name }: { readonly hit: PackedHit; readonly name: string }) {
  const { hits } = usePack()
  return (
    // A target of 24 px.
    <label className="flex size-6 shrink-0 items-center justify-center">
      <input
        type="checkbox"
        aria-label={`Add to pack: ${firstCharacters(visibleText(name), 80)}`}
        checked={isPacked(hits, hit)}
        onChange={() => togglePacked(hit)}
        className="size-4 accent-(--accent)"
      />
    </label>
  )
}
