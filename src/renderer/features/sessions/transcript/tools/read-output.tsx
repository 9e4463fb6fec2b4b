import { type ReactNode, useMemo } from 'react'
import type { Json } from '../../../../../shared/json.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { CodeFrame } from '../../../../components/code-block.tsx'
import { highlightLines, languageOf } from '../../../../../shared/syntax.ts'
import { fileLines, mediaOf, outputText } from '../../../../../shared/tool-output.ts'
import { ToolOutput } from './tool-output-view.tsx'

/** The lines of a file that were read, with their numbers and syntax colors. */
export function ReadOutput({ path, output }: { readonly path: string; readonly output: Json }): ReactNode {
  const file = useMemo(() => (mediaOf(output).length > 0 ? null : fileLines(outputText(output))), [output])
  if (file === null) return <ToolOutput output={output} isLeftOut={false} />
  return (
    <CodeFrame text={file.code} label={`Lines of ${path}`} copyName="Copy lines">
      {(shown) => <Lines code={shown} first={file.first} path={path} />}
    </CodeFrame>
  )
}

function Lines({ code, first, path }: { readonly code: string; readonly first: number; readonly path: string }) {
  const colored = useMemo(() => highlightLines(code, languageOf(path)), [code, path])
  const lines = colored ?? code.split('\n').map((text) => [{ text, color: undefined }])
  return lines.map((tokens, at) => (
    <span key={at} className="block">
      <span className="mr-4 inline-block w-[4ch] text-right text-soft tabular-nums select-none" aria-hidden>
        {first + at}
      </span>
      {/* A box of its own, since tab stops count from its edge. */}
      <span className="inline-block">
        {tokens.map(({ text, color }, position) =>
          color === undefined ? (
            visibleText(text)
          ) : (
            <span key={position} className={color}>
              {visibleText(text)}
            </span>
          ),
        )}
      </span>
      {'\n'}
    </span>
  ))
}
