import { Component, memo, type ReactNode } from 'react'
import { visibleText } from '../../../../shared/visible-text.ts'
import { formatEvent } from '../../../../shared/event-text.ts'
import { actionOf, KIND_LOOKS, KindIcon } from '../../../components/event-kind.tsx'
import { Fold } from '../../../components/fold.tsx'
import { StartsOpen } from '../../../components/show-all.tsx'
import { Markdown } from '../../../components/markdown.tsx'
import { useCutText } from '../../../components/cut-text.tsx'
import { formatCount } from '../../../lib/format.ts'
import { withoutSigns } from '../../../lib/snippet.ts'
import { shortPath } from '../../../../shared/short-path.ts'
import { AgentRow } from './agent-row.tsx'
import { DroppedTexts } from './dropped-texts.tsx'
import { labelOf, RowActions } from './row-actions.tsx'
import type { TranscriptRow } from './transcript-rows.ts'
import { ToolRow } from './tool-row.tsx'
import { runKey } from './tool-runs.ts'
import { toolLabel } from '../../../../shared/tool-shape.ts'
import { mainArgument } from './tool-text.ts'
import { MediaOwner, MediaView } from './tools/media-view.tsx'

export interface RowProps {
  readonly row: TranscriptRow
  readonly selected: boolean
  /** Names the agent of a selected row, whose own row may be far above. */
  readonly agentName: string | null
  readonly isToggled: boolean
  readonly thinkingOpen: boolean
  /** Later events of the session are not loaded yet. */
  readonly hasLater: boolean
  /** The session is running. */
  readonly isActive: boolean
  readonly onToggle: (uuid: string) => void
  readonly onAgent: (agentId: string) => void
  readonly onDetails: (uuid: string) => void
  /** The row was found by a search, so all of it is shown. */
  readonly isFound: boolean
  /** Opens another event of the session. */
  readonly onOpen: (uuid: string) => void
}

/** Rows of text, whose lines must not get too long to read. */
const PROSE: ReadonlySet<TranscriptRow['type']> = new Set(['prompt', 'thinking', 'answer', 'compaction', 'error'])

/** One row of a transcript: its kind on the left, its time and details button on the right. */
export const TranscriptRowView = memo(function TranscriptRowView(props: RowProps) {
  const { row, selected, agentName, onDetails } = props
  const kind = row.type === 'agent' ? 'agent_started' : row.event.kind
  // A decision, and no failure.
  const isStop = row.type === 'error' && row.event.payload.origin === 'guard'
  return (
    <div style={{ paddingLeft: `${Math.min(row.depth, 8) * 1.25}rem` }}>
      <div
        className={`group grid grid-cols-[1.5rem_minmax(0,1fr)_5.5rem] gap-x-3 max-[560px]:grid-cols-[1.25rem_minmax(0,1fr)_0] max-[560px]:gap-x-2 rounded-medium px-2 py-1.5 ${
          selected ? 'bg-accent-tint ring-1 ring-accent' : ''
        } ${row.depth > 0 ? 'rounded-l-none border-l-2 border-k-agent/40' : ''} ${row.type === 'prompt' && row.depth === 0 ? 'mt-4' : ''}`}
      >
        <span className="flex h-6 items-center justify-center">
          <KindIcon
            kind={isStop ? 'guard_action' : kind}
            action={isStop ? 'refused' : actionOf(row.event.payload)}
            className="size-[1.05rem]"
          />
        </span>
        <div className={`min-w-0 ${PROSE.has(row.type) ? 'max-w-[54rem]' : ''}`}>
          {agentName !== null && <p className="text-meta text-k-agent">{`Agent: ${visibleText(agentName)}`}</p>}
          <MessageBoundary>
            {/* A fold reads the value once, so that the user can close it. */}
            <StartsOpen key={String(props.isFound)} value={props.isFound}>
              <RowBody {...props} />
            </StartsOpen>
          </MessageBoundary>
        </div>
        <RowActions event={row.event} label={labelOf(kind)} onDetails={() => onDetails(row.event.uuid)} />
      </div>
    </div>
  )
}, isSame)

/** Compares all but functions, and a row by its parts: rows are built again with every page. */
function isSame(before: object, after: object): boolean {
  return Object.entries(before).every(([name, value]: [string, unknown]) => {
    const now: unknown = Reflect.get(after, name)
    if (name === 'row') return isSame(Object(value), Object(now))
    return typeof value === 'function' || value === now
  })
}

function RowBody(props: RowProps) {
  const { row, isToggled, thinkingOpen, onToggle, onAgent } = props
  switch (row.type) {
    case 'prompt':
      return (
        <div className="rounded-medium border bg-surface px-4 py-2.5">
          <Prompt text={row.event.payload.text} />
          <MediaOwner value={row.event}>
            {row.event.payload.media?.map(({ type, media_type: mediaType, bytes, hash }, at) => (
              <MediaView key={at} media={{ type, mediaType, bytes, hash }} />
            ))}
          </MediaOwner>
        </div>
      )
    case 'thinking':
      return (
        <ThinkingRow
          row={row}
          open={(thinkingOpen || props.isFound) !== isToggled}
          onToggle={() => onToggle(row.event.uuid)}
        />
      )
    case 'answer':
      return <Markdown text={row.event.payload.text} />
    case 'tool':
      return (
        <ToolRow
          call={row.event}
          result={row.result}
          hasLater={props.hasLater}
          isActive={props.isActive}
          isFound={props.isFound}
          isToggled={isToggled}
          onToggle={() => onToggle(row.event.uuid)}
        />
      )
    case 'run':
      return <RunRow row={row} open={row.open} onToggle={() => onToggle(runKey(row))} />
    case 'compaction':
      return (
        <CompactionRow
          row={row}
          open={props.isFound !== isToggled}
          onToggle={() => onToggle(row.event.uuid)}
          onOpen={props.onOpen}
          isLinked={props.selected}
        />
      )
    case 'error':
      if (row.event.payload.origin === 'guard')
        return <p className="traffic text-small text-warn">{visibleText(row.event.payload.message)}</p>
      return (
        <div className="rounded-small bg-bad-soft px-3 py-2 text-bad">
          <p className="font-medium">
            {row.event.payload.type ?? 'Error'}
            {row.event.payload.status !== null && ` · ${row.event.payload.status}`}
          </p>
          <p className="traffic text-small">{visibleText(row.event.payload.message)}</p>
        </div>
      )
    case 'agent':
      return (
        <AgentRow row={row} hasLater={props.hasLater} isActive={props.isActive} onToggle={() => onAgent(row.agentId)} />
      )
    case 'mark':
      return (
        <p className="traffic line-clamp-3 min-h-6 text-small text-faint">
          <span className="font-medium text-soft">{KIND_LOOKS[row.event.kind].label}</span>{' '}
          {visibleText(
            row.event.kind === 'guard_action' || row.event.kind === 'session_ended'
              ? formatEvent(row.event.kind, { ...row.event.payload })
              : markText(row.event.payload),
          )}
        </p>
      )
  }
}

function markText(payload: object): string {
  for (const name of ['text', 'reason', 'start', 'what', 'output']) {
    const value: unknown = Object.entries(payload).find(([key]) => key === name)?.[1]
    if (typeof value === 'string') return value
  }
  return ''
}

interface FoldingProps<Type extends TranscriptRow['type']> {
  readonly row: Extract<TranscriptRow, { type: Type }>
  readonly open: boolean
  readonly onToggle: () => void
}

function RunRow({ row, open, onToggle }: FoldingProps<'run'>) {
  const { event, calls } = row
  const targets = calls.map(({ event: { payload } }) => mainArgument(payload.input ?? payload.digest ?? null))
  return (
    <Fold open={open} onToggle={onToggle}>
      <span className="shrink-0 font-mono text-small font-medium text-k-tool">
        {visibleText(toolLabel(event.payload.tool_name))}
      </span>
      <span className="shrink-0 text-small">{formatCount(calls.length)} times in a row</span>
      {!open && (
        <span className="min-w-0 truncate font-mono text-meta text-faint">
          {visibleText(targets.map((target) => shortPath(target, event.project)).join(', '))}
        </span>
      )}
    </Fold>
  )
}

function ThinkingRow({ row, open, onToggle }: FoldingProps<'thinking'>) {
  const { text, signature_only, withheld } = row.event.payload
  if (text === '') {
    return (
      <p className="flex min-h-6 items-center text-small text-faint">
        {withheld === true ? 'Thinking withheld by the API' : signature_only ? 'Thinking (signature only)' : 'Thinking'}
      </p>
    )
  }
  return (
    <>
      <Fold open={open} onToggle={onToggle}>
        <span className="text-small font-medium text-k-thinking">Thinking</span>
        {!open && <span className="min-w-0 truncate text-small text-faint">{visibleText(withoutSigns(text))}</span>}
      </Fold>
      {open && (
        <div className="border-s-2 border-k-thinking/30 ps-4 text-[0.9em] leading-relaxed text-soft">
          <Markdown text={text} />
        </div>
      )}
    </>
  )
}

const COMPACTION_LABELS = { auto: 'Auto-compacted', manual: 'Compacted manually', unknown: 'Compacted' } as const

function CompactionRow({
  row,
  open,
  onToggle,
  onOpen,
  isLinked,
}: FoldingProps<'compaction'> & { readonly onOpen: (uuid: string) => void; readonly isLinked: boolean }) {
  const { trigger, tokens_before, tokens_after, summary, withheld } = row.event.payload
  return (
    <div className="my-2 rounded-medium border border-dashed border-k-compaction/60 px-4 py-2.5 max-[560px]:px-2.5">
      <Fold open={open} onToggle={onToggle}>
        <span className="font-medium text-k-compaction">{COMPACTION_LABELS[trigger]}</span>
        {tokens_before !== null && (
          <span className="text-meta text-faint">
            {formatCount(tokens_before)}
            {tokens_after !== null && ` → ${formatCount(tokens_after)}`} tokens
          </span>
        )}
      </Fold>
      <p className="mt-1 text-meta text-soft">
        {withheld ? REPLACED_UNSEEN : REPLACED} It is still recorded here, and Recall finds it.
      </p>
      <DroppedTexts uuid={row.event.uuid} onOpen={onOpen} isLinked={isLinked} />
      {open && (
        <div className="mt-2 border-t pt-2 text-[0.9em]">
          {withheld ? <p className="text-soft">The summary is encrypted.</p> : <Markdown text={summary} />}
        </div>
      )}
    </div>
  )
}

const REPLACED = 'Everything above was replaced by a summary in the model’s context.'
const REPLACED_UNSEEN = 'Everything above was replaced by a summary that only the API can read.'

/** A prompt as written, in the direction of its script; a very long one is truncated. */
function Prompt({ text }: { readonly text: string }) {
  const { shown, rest } = useCutText(text)
  return (
    <>
      <p dir="auto" className="traffic font-medium">
        {visibleText(shown)}
      </p>
      {rest}
    </>
  )
}

/** Shows a note instead of a message that cannot be rendered, so that the rest of the page remains. */
class MessageBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <p role="note" className="text-small text-faint">
        This message cannot be shown. Its details and the export have it in full.
      </p>
    )
  }
}
