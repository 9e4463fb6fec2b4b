import { memo, type ReactNode, useMemo } from 'react'
import type { AspyEvent } from '../../../../../shared/event.ts'
import { changesOf, type FileChange } from '../../../../../shared/file-change.ts'
import type { ToolShape } from '../../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { CodeBlock } from '../../../../components/code-block.tsx'
import { DiffView } from '../../../../components/diff-view.tsx'
import { Markdown } from '../../../../components/markdown.tsx'
import { useOperation } from '../../../../lib/operation.ts'
import { placeParts } from '../../../../lib/placed-parts.ts'
import { FieldList } from './field-list.tsx'
import { ReadOutput } from './read-output.tsx'
import { QuestionList } from './question-list.tsx'
import { TaskList } from './task-list.tsx'
import { ToolOutput } from './tool-output-view.tsx'
import { agentReport, commandOutput, outputText } from '../../../../../shared/tool-output.ts'
import { WebPages } from './web-pages.tsx'

interface PlacedDiffProps {
  readonly file: FileChange
  readonly isNamed: boolean
  /** The call, if it succeeded. */
  readonly done: string | undefined
}

/** The change of a file. Without numbers in the result, the record of the file tells where it was, if it has it. */
function PlacedDiff({ file, isNamed, done }: PlacedDiffProps) {
  const isWhole = /^(?:[\\/]|[A-Za-z]:)/.test(file.path)
  const input = { path: file.path, uuid: done }
  const isAsked = done !== undefined && isWhole && file.parts.some(({ kind }) => kind === 'replaced')
  const { data } = useOperation('files.at', input, { enabled: isAsked })
  const lines = data?.lines
  const placed = useMemo(
    () =>
      lines === undefined
        ? file
        : {
            ...file,
            parts: placeParts(
              file.parts,
              lines.map(({ text }) => text),
            ),
          },
    [file, lines],
  )
  return <DiffView file={placed} isNamed={isNamed} />
}

interface ToolBodyProps {
  /** The call's. */
  readonly uuid: string
  readonly shape: ToolShape
  readonly result: AspyEvent<'tool_result'> | null
  readonly failed: boolean
}

/** A call's input and result, in the best form for its shape. */
export const ToolBody = memo(function ToolBody({ uuid, shape, result, failed }: ToolBodyProps): ReactNode {
  const output = result !== null && (
    <div className={failed ? 'border-l-2 border-bad pl-2' : ''}>
      <ToolOutput output={result.payload.output} isLeftOut={result.payload.left_out === true} />
    </div>
  )
  switch (shape.kind) {
    case 'command':
      return (
        <>
          <CodeBlock code={shape.command} language="bash" />
          {result !== null && (
            <div className={failed ? 'border-l-2 border-bad pl-2' : ''}>
              <ToolOutput
                output={commandOutput(outputText(result.payload.output)).text}
                isLeftOut={result.payload.left_out === true}
              />
            </div>
          )}
        </>
      )
    case 'read':
      return result !== null && !failed ? <ReadOutput path={shape.path} output={result.payload.output} /> : output
    case 'edit': {
      const files = changesOf(shape.files, failed ? undefined : result?.payload.detail)
      return (
        <>
          {files.map((file, at) => (
            <PlacedDiff
              key={at}
              file={file}
              isNamed={files.length > 1}
              done={failed || result === null ? undefined : uuid}
            />
          ))}
          {/* The result of an edit repeats the lines of its diff. */}
          {failed && output}
        </>
      )
    }
    case 'todo':
      return (
        <>
          {shape.about !== null && <p className="traffic py-1 text-small text-soft">{visibleText(shape.about)}</p>}
          <TaskList tasks={shape.tasks} />
          {failed && output}
        </>
      )
    case 'question':
      return <QuestionList questions={shape.questions} result={result} />
    case 'web':
      return (
        <>
          {shape.about !== null && <p className="traffic py-1 text-small text-soft">{visibleText(shape.about)}</p>}
          {result !== null && !failed ? <WebPages output={result.payload.output} isPage={shape.isAddress} /> : output}
        </>
      )
    case 'agent':
      return (
        <>
          <Markdown text={shape.prompt} />
          {result !== null && !failed ? <Markdown text={agentReport(outputText(result.payload.output))} /> : output}
        </>
      )
    case 'search':
      return output
    case 'mcp':
    case 'other':
      return (
        <>
          <FieldList fields={shape.fields} />
          {output}
        </>
      )
  }
})
