import { Check, CircleSlash, Hourglass, X } from 'lucide-react'
import type { AspyEvent } from '../../../../shared/event.ts'
import { CodeBlock } from '../../../components/code-block.tsx'
import { DiffView } from '../../../components/diff-view.tsx'
import { Fold } from '../../../components/fold.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { editsOf, languageOf, mainArgument, outputText, withoutControls } from './tool-text.ts'

interface ToolRowProps {
  readonly call: AspyEvent<'tool_call'>
  readonly result: AspyEvent<'tool_result'> | null
  readonly isToggled: boolean
  readonly onToggle: () => void
}

/** A tool call with its result on one line. Edits and failures are expanded by default. */
export function ToolRow({ call, result, isToggled, onToggle }: ToolRowProps) {
  const { tool_name, input } = call.payload
  const edits = editsOf(tool_name, input)
  const failed = result !== null && (result.payload.is_error || result.success === false)
  const open = (edits.length > 0 || failed) !== isToggled
  const argument = mainArgument(input)
  return (
    <>
      <Fold open={open} onToggle={onToggle}>
        <span className="shrink-0 font-mono text-small font-medium text-k-tool">{tool_name}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-meta text-soft" title={argument}>
          {argument}
        </span>
        <Outcome result={result} failed={failed} />
      </Fold>
      {open && (
        <div className="pl-5">
          {edits.length > 0 ? (
            edits.map((edit, index) => (
              <DiffView
                key={index}
                before={edit.before}
                after={edit.after}
                name={`Change of ${argument}`}
                // A call says where it wrote only if it wrote the whole file.
                firstLine={edit.before === '' ? 1 : null}
              />
            ))
          ) : (
            <CallInput toolName={tool_name} input={input} />
          )}
          {result && <ResultOutput result={result} argument={argument} failed={failed} />}
        </div>
      )}
    </>
  )
}

function CallInput({ toolName, input }: { toolName: string; input: AspyEvent<'tool_call'>['payload']['input'] }) {
  const command =
    typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string'
      ? input.command
      : null
  return command !== null && toolName === 'Bash' ? (
    <CodeBlock code={command} language="bash" />
  ) : (
    <CodeBlock code={JSON.stringify(input, null, 2)} language="json" />
  )
}

function Outcome({ result, failed }: { result: AspyEvent<'tool_result'> | null; failed: boolean }) {
  if (!result) return <Hourglass className="size-3.5 shrink-0 text-faint" role="img" aria-label="No result" />
  return (
    <span className="flex shrink-0 items-center gap-2 text-meta text-faint">
      {result.duration_ms !== null && formatDuration(result.duration_ms)}
      {result.payload.rejected ? (
        <CircleSlash className="size-4 text-warn" role="img" aria-label="Rejected by the user" />
      ) : failed ? (
        <X className="size-4 text-bad" role="img" aria-label="Failed" />
      ) : (
        <Check className="size-4 text-good" role="img" aria-label="Succeeded" />
      )}
    </span>
  )
}

interface ResultOutputProps {
  readonly result: AspyEvent<'tool_result'>
  readonly argument: string
  readonly failed: boolean
}

function ResultOutput({ result, argument, failed }: ResultOutputProps) {
  const text = withoutControls(outputText(result.payload.output))
  if (text.trim() === '') return <p className="py-1 text-meta text-faint">No output</p>
  return (
    <div className={failed ? 'border-l-2 border-bad pl-2' : ''}>
      <CodeBlock
        code={text}
        language={result.payload.tool_name === 'Read' && !failed ? languageOf(argument) : undefined}
      />
    </div>
  )
}
