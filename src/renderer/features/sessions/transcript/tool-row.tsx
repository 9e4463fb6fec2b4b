import { Check, CircleDashed, CircleSlash, Hourglass, X } from 'lucide-react'
import { useMemo } from 'react'
import type { AspyEvent } from '../../../../shared/event.ts'
import { changesOf } from '../../../../shared/file-change.ts'
import { shapeSummary, toolLabel, type ToolShape, toolShape } from '../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { LineCounts } from '../../../components/diff-view.tsx'
import { Fold } from '../../../components/fold.tsx'
import { countLines } from '../../../../shared/change-lines.ts'
import { formatDuration } from '../../../lib/format.ts'
import { shortPath } from '../../../../shared/short-path.ts'
import { refusalReason } from './refusal-reason.ts'
import { MediaOwner } from './tools/media-view.tsx'
import { ToolBody } from './tools/tool-body.tsx'
import { commandOutput, outputText } from '../../../../shared/tool-output.ts'
import { hasFailed } from './tool-text.ts'
import { useCallResult } from './use-call-result.ts'
import type { RowProps } from './transcript-row.tsx'

interface ToolRowProps extends Pick<RowProps, 'hasLater' | 'isActive' | 'isFound' | 'isToggled'> {
  readonly call: AspyEvent<'tool_call'>
  readonly result: AspyEvent<'tool_result'> | null
  readonly onToggle: () => void
}

/** Shapes whose body is short and more informative than their line. */
const OPEN_SHAPES: ReadonlySet<ToolShape['kind']> = new Set(['edit', 'todo', 'question'])

/**
 * A tool call with its result on one line. Edits, task lists, questions and failures are expanded by default; a refused
 * call did nothing, so its reason takes their place.
 */
export function ToolRow({ call, result: loaded, hasLater, isActive, isFound, isToggled, onToggle }: ToolRowProps) {
  const { tool_name: toolName, input, digest, left_out: isLeftOut } = call.payload
  const result = useCallResult(call, loaded, hasLater)
  const shape = useMemo(() => toolShape(toolName, input ?? digest ?? null), [toolName, input, digest])
  const failed = hasFailed(result)
  const isRefused = result?.payload.rejected === true && shape.kind !== 'question'
  const open = ((!isRefused && (OPEN_SHAPES.has(shape.kind) || failed)) || isFound) !== isToggled
  const summary = shortPath(shapeSummary(shape), call.project)
  return (
    <>
      <Fold open={open} onToggle={onToggle}>
        <span className="shrink-0 font-mono text-small font-medium text-k-tool">
          {visibleText(toolLabel(toolName))}
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-meta text-soft" title={summary}>
          {visibleText(open && shape.kind === 'command' ? (shape.about ?? shape.folder ?? '') : summary)}
        </span>
        {shape.kind === 'edit' && <EditCounts shape={shape} result={failed ? null : (result ?? null)} />}
        {shape.kind === 'command' && result && <ExitCode result={result} />}
        <Outcome result={result} failed={failed} isActive={isActive} />
      </Fold>
      {isRefused && !open && (
        <p className="traffic line-clamp-1 pl-5 text-small text-warn">
          {['Refused', visibleText(refusalReason(result.payload.output))].filter(Boolean).join(': ')}
        </p>
      )}
      {open && (
        <div className="pl-5 max-[560px]:pl-0">
          {isLeftOut === true ? (
            <p className="py-1 text-meta text-faint">Input left out by the settings</p>
          ) : (
            <MediaOwner value={result ?? null}>
              <ToolBody uuid={call.uuid} shape={shape} result={result ?? null} failed={failed} />
            </MediaOwner>
          )}
        </div>
      )}
    </>
  )
}

function EditCounts({
  shape,
  result,
}: {
  readonly shape: Extract<ToolShape, { kind: 'edit' }>
  readonly result: AspyEvent<'tool_result'> | null
}) {
  const counts = useMemo(
    () => countLines(changesOf(shape.files, result?.payload.detail).flatMap(({ parts }) => parts)),
    [shape, result],
  )
  return <LineCounts {...counts} />
}

function ExitCode({ result }: { readonly result: AspyEvent<'tool_result'> }) {
  const { exitCode } = useMemo(() => commandOutput(outputText(result.payload.output)), [result])
  if (exitCode === null || exitCode === 0) return null
  return <Badge tone="bad">exit {exitCode}</Badge>
}

interface OutcomeProps {
  readonly result: AspyEvent<'tool_result'> | null | undefined
  readonly failed: boolean
  readonly isActive: boolean
}

function Outcome({ result, failed, isActive }: OutcomeProps) {
  // Still being looked up: no text is better than a wrong one.
  if (result === undefined) return <span className="size-4 shrink-0" />
  if (result === null) {
    return isActive ? (
      <Hourglass className="size-3.5 shrink-0 text-faint" role="img" aria-label="No result yet" />
    ) : (
      <CircleDashed className="size-3.5 shrink-0 text-faint" role="img" aria-label="No result recorded" />
    )
  }
  return (
    <span className="flex shrink-0 items-center gap-2 text-meta text-faint">
      {result.duration_ms !== null && formatDuration(result.duration_ms)}
      {result.payload.rejected ? (
        <CircleSlash className="size-4 text-warn" role="img" aria-label="Refused" />
      ) : failed ? (
        <X className="size-4 text-bad" role="img" aria-label="Failed" />
      ) : (
        <Check className="size-4 text-good" role="img" aria-label="Succeeded" />
      )}
    </span>
  )
}
