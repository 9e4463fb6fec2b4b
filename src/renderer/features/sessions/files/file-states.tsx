import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { DiffView } from '../../../components/diff-view.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Empty } from '../../../components/states.tsx'
import { formatMoment, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { BlameLines } from './blame-lines.tsx'
import { RestoreDialog, restorePreview } from './restore-dialog.tsx'

interface FileStatesProps {
  /** The whole path. */
  readonly path: string
  /** Opens an event in its session. */
  readonly onOpen: (uuid: string, sessionId: string) => void
}

type Step = OperationOutput<'files.history'>['items'][number]
type Blame = OperationOutput<'files.blame'>

/** Where a step leaves the text as it was, or does not say it. */
const isSilent = ({ action, state }: Step): boolean => action === 'doubted' || state === 'unknown'

/** A file's states over time: a slider through them, who wrote each line, what changed, and a way back. */
export function FileStates({ path, onOpen }: FileStatesProps) {
  const query = useOperation('files.history', { path })
  const steps = useMemo(() => {
    const told = (query.data?.items ?? []).filter((step) => !isSilent(step))
    // A move is a step of both names.
    return told.filter((step, at) => step.action !== 'moved' || step.uuid !== told[at - 1]?.uuid)
  }, [query.data])
  const empty = steps.length === 0 && (
    <Empty icon={History} title="No state is known">
      The record has no call that wrote this file whole, showed it, or changed lines that are known.
    </Empty>
  )
  return loaded({ query, label: 'Loading the history', rows: 4, empty }, ({ partial }) => (
    <States steps={steps} isPartial={partial} onOpen={onOpen} />
  ))
}

const ACTIONS = {
  written: 'Written by',
  appended: 'Lines added by',
  changed: 'Changed by',
  seen: 'Left on the disk by',
  shown: 'Shown by',
  deleted: 'Deleted by',
  moved: 'Moved by',
  restored: 'Restored by',
  doubted: 'May be changed by',
} as const

const VIEWS = [
  { value: 'lines', name: 'Blame', title: 'Each line with the prompt that led to it' },
  { value: 'change', name: 'Change', title: 'What is different from the state before' },
] as const

function States({
  steps,
  isPartial,
  onOpen,
}: {
  readonly steps: readonly Step[]
  readonly isPartial: boolean
  readonly onOpen: FileStatesProps['onOpen']
}) {
  const [chosen, setChosen] = useState<number | null>(null)
  const [view, setView] = useState<(typeof VIEWS)[number]['value']>('lines')
  const [isRestoring, setRestoring] = useState(false)
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1)
  const step = steps[at]
  const before = steps[at - 1]
  const query = useBlame(step)
  const earlier = useBlame(before)
  if (step === undefined) return null
  const said = `${ACTIONS[step.action]} ${visibleText(step.tool_name)}, ${formatMoment(step.timestamp)}`
  return (
    <section aria-label={`History of ${step.path}`} className="mt-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-meta text-soft">
        <input
          type="range"
          min={0}
          max={steps.length - 1}
          value={at}
          disabled={steps.length === 1}
          aria-label="State"
          aria-valuetext={`${at + 1} of ${steps.length}: ${said}`}
          onChange={(event) => setChosen(Number(event.target.value))}
          className="h-6 w-56 max-w-full accent-(--accent)"
        />
        <span className="tabular-nums">
          {at + 1} of {steps.length}
        </span>
        <span role="status">{said}</span>
        {step.agent_id !== null && <span className="text-faint">by an agent</span>}
        <Button look="ghost" size="small" onClick={() => onOpen(step.uuid, step.session_id)}>
          Show in transcript
        </Button>
      </div>
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <Segments label="View of the state" options={VIEWS} value={view} onChange={setView} />
        {query.data !== undefined && (
          <CopyButton text={textOf(query.data)} notice="Copied the file" label="Copy text" look="plain" size="small" />
        )}
        <Button size="small" onClick={() => setRestoring(true)}>
          Restore…
        </Button>
      </div>
      <p className="mt-1 text-meta text-faint">
        {doubtsOf(step, query.data, isPartial).join(' ')}
        {step.action === 'deleted' && at === steps.length - 1 && <OnDisk step={step} />}
      </p>
      {loaded({ query, rows: 4, label: 'Loading the lines' }, (blame) =>
        view === 'lines' ? (
          <BlameLines key={step.uuid} blame={blame} onOpen={onOpen} />
        ) : (
          <Change path={step.path} before={before === undefined ? '' : textOf(earlier.data)} blame={blame} />
        ),
      )}
      {isRestoring && <RestoreDialog path={step.path} uuid={step.uuid} onClose={() => setRestoring(false)} />}
    </section>
  )
}

function useBlame(step: Step | undefined) {
  const input = { path: step?.path ?? '/', until: step?.uuid ?? '' }
  return useOperation('files.blame', input, { enabled: step !== undefined, keepsPrevious: true })
}

function Change({ path, before, blame }: { readonly path: string; readonly before: string; readonly blame: Blame }) {
  const after = textOf(blame)
  const file = useMemo(
    () => ({ path, change: 'write' as const, parts: [{ kind: 'replaced' as const, before, after }] }),
    [path, before, after],
  )
  return <DiffView file={file} />
}

/** Says whether a deleted file is back. */
function OnDisk({ step: { path, uuid } }: { readonly step: Step }) {
  const { data } = useQuery(restorePreview(path, uuid))
  if (data === undefined) return null
  // A file that has the text already would be written to its own path, too.
  if (data.out === path && !data.is_same) return ' It is not on disk now.'
  return data.diff === '' ? ' It is on disk again, with these lines.' : ' On disk, there is another text now.'
}

/** Lines that the record does not have are a sign. */
const textOf = (blame: Blame | undefined): string => blame?.items.map(({ text }) => text ?? '…').join('\n') ?? ''

function doubtsOf(step: Step, blame: Blame | undefined, isPartial: boolean): readonly string[] {
  const holes = blame?.items.filter(({ text }) => text === null).length ?? 0
  return [
    ...(step.action === 'deleted' ? ['These were its lines.'] : []),
    ...(holes > 0 ? [`${plural(holes, 'line')} not recorded.`] : []),
    ...(step.is_doubted ? ['Since its text was known, a call may have changed it.'] : []),
    ...(isPartial ? ['Older calls were not read.'] : []),
  ]
}
