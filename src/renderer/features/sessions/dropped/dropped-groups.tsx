import { type ReactNode, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatMoment, plural } from '../../../lib/format.ts'
import { PackBox } from '../../../components/pack-box.tsx'
import { type DroppedCall, droppedCall, droppedHit, type DroppedText as Item } from '../../../lib/dropped.ts'
import { withoutSigns } from '../../../lib/snippet.ts'

type Dropped = OperationOutput<'compactions.dropped'>

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
  /** How many texts of each group are lost. */
  readonly lost: Dropped['lost']
  readonly files: Dropped['files']
  readonly outputs: Dropped['outputs']
  readonly onOpen: (uuid: string) => void
  /** False if the summary is encrypted, so its omissions are not known. */
  readonly isSummaryKnown: boolean
}

/**
 * Lost texts: decisions, files, tool outputs, prompts, answers and thoughts, and then those that the summary has in other words, each
 * with a box that adds it to the pack.
 */
export function DroppedGroups({ items, lost, files, outputs, onOpen, isSummaryKnown }: DroppedGroupsProps) {
  const row = (item: Item) => <Row item={item} isSummaryKnown={isSummaryKnown} onOpen={onOpen} />
  const [decisions, ...others] = GROUPS.map(([group, name]) => (
    <Group
      key={group}
      name={name}
      count={lost[group]}
      rows={items.filter((item) => item.group === group && isLost(item, isSummaryKnown))}
    >
      {row}
    </Group>
  ))
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {decisions}
      <Group
        name="Files"
        count={files.length}
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
          <CallRow call={file} name={file.path} onOpen={onOpen}>
            <span className="flex min-w-0 items-baseline gap-2">
              <span className="traffic min-w-0 truncate font-mono text-meta">{visibleText(file.path)}</span>
              <span className="ml-auto shrink-0 text-micro text-faint">{file.edited ? 'edited' : 'read'}</span>
            </span>
          </CallRow>
        )}
      </Group>
      <Group name="Tool outputs" rows={outputs}>
        {(call) => (
          <CallRow call={call} name={`${call.tool} ${call.target}`} onOpen={onOpen}>
            <span className="traffic font-mono text-meta">
              <span className="text-k-tool">{visibleText(call.tool)}</span> {visibleText(call.target)}
            </span>
            <span className="traffic font-mono text-meta text-faint">{visibleText(call.first_line)}</span>
          </CallRow>
        )}
      </Group>
      {others}
      <Group name="Kept in other words" rows={items.filter((item) => !isLost(item, isSummaryKnown))}>
        {row}
      </Group>
    </div>
  )
}

interface CallRowProps extends Pick<DroppedGroupsProps, 'onOpen'> {
  readonly call: DroppedCall
  readonly name: string
  readonly children: ReactNode
}

/** A call whose file or output was dropped. */
function CallRow({ call, name, onOpen, children }: CallRowProps) {
  return (
    <div className="flex min-w-0 items-start gap-2">
      <PackBox hit={droppedCall(call)} name={name} />
      <button
        type="button"
        onClick={() => onOpen(call.uuid)}
        title="Open it in the session"
        className="flex min-h-6 min-w-0 flex-1 flex-col justify-center rounded-small px-1 text-left hover:bg-hover"
      >
        {children}
      </button>
    </div>
  )
}

/** Checks whether a summary lost a sentence of a text: the one rule of what counts as lost. */
const isLost = (item: Item, isSummaryKnown: boolean): boolean => !isSummaryKnown || item.lost.length > 0

interface GroupProps<Row> {
  readonly name: string
  /** How many there are, if not each has a row. */
  readonly count?: number
  readonly rows: readonly Row[]
  readonly action?: ReactNode
  readonly children: (row: Row) => ReactNode
}

function Group<Row extends { readonly uuid: string }>({
  name,
  rows,
  count = rows.length,
  action,
  children,
}: GroupProps<Row>) {
  const [isOpen, setOpen] = useState(false)
  if (rows.length === 0) return null
  return (
    <section aria-label={name}>
      <div className="flex items-center gap-2">
        <h2 className="label">
          {name} <span className="text-faint">{count}</span>
        </h2>
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
  const { uuid, content, lost, reworded, times, timestamp } = item
  const hasLost = lost.length > 0
  const kept = reworded.length > 0 || hasLost ? reworded.join(' ') : withoutSigns(content)
  return (
    <div className="flex min-w-0 items-start gap-2">
      <PackBox hit={droppedHit(item)} name={content} />
      <button
        type="button"
        onClick={() => onOpen(uuid)}
        title="Open it in the session"
        className="flex min-w-0 flex-1 flex-col rounded-small text-left hover:bg-hover"
      >
        {!isSummaryKnown && <span className="traffic text-small">{visibleText(withoutSigns(content))}</span>}
        {isSummaryKnown && hasLost && (
          <span className="traffic text-small">
            <Fate>Lost</Fate> {visibleText(lost.join(' '))}
          </span>
        )}
        {isSummaryKnown && kept !== '' && (
          <span className="traffic text-meta text-faint">
            {hasLost && (
              <>
                <Fate>Kept in other words</Fate>{' '}
              </>
            )}
            {visibleText(kept)}
          </span>
        )}
        <span className="text-micro text-faint">
          {formatMoment(timestamp)}
          {times > 1 && ` · ${times} times`}
        </span>
      </button>
    </div>
  )
}

/** Says what became of the sentences after it. */
const Fate = ({ children }: { readonly children: string }) => (
  <span className={`text-micro font-semibold ${children === 'Lost' ? 'text-warn' : 'text-soft'}`}>{children}</span>
)
