import { memo, type ReactNode, useMemo } from 'react'
import type { Json } from '../../../../../shared/json.ts'
import { CodeFrame } from '../../../../components/code-block.tsx'
import { JsonTree } from '../../../../components/json-tree.tsx'
import { ansiSpans } from '../../../../lib/ansi.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { withoutAnsi } from '../../../../../shared/terminal-text.ts'
import { MediaView } from './media-view.tsx'
import { mediaOf, outputText, parsedJson, withoutErrorTags } from '../../../../../shared/tool-output.ts'

interface ToolOutputProps {
  readonly output: Json
  /** There was an output, but the settings do not keep it. */
  readonly isLeftOut: boolean
}

/** The output of a call: text with the colors of a terminal, JSON as a tree, and each image or a note on it. */
export function ToolOutput({ output, isLeftOut }: ToolOutputProps): ReactNode {
  const text = useMemo(() => {
    const written = outputText(output)
    return written.startsWith('<tool_use_error>') ? withoutErrorTags(written) : written
  }, [output])
  const json = useMemo(() => parsedJson(text), [text])
  const media = mediaOf(output)
  if (isLeftOut) return <p className="py-1 text-meta text-faint">Output left out by the settings</p>
  if (text.trim() === '' && media.length === 0) return <p className="py-1 text-meta text-faint">No output</p>
  return (
    <>
      {media.map((one, at) => (
        <MediaView key={at} media={one} />
      ))}
      {text.trim() !== '' &&
        (json === undefined ? (
          <CodeFrame text={text.replace(/\s+$/, '')} label="Output" copied={withoutAnsi(text)} copyName="Copy output">
            {(shown) => (
              <span className="max-[700px]:wrap-anywhere max-[700px]:whitespace-pre-wrap">
                <AnsiText text={shown} />
              </span>
            )}
          </CodeFrame>
        ) : (
          <JsonTree value={json} label="Output" />
        ))}
    </>
  )
}

/** Longer output is shown without its colors. */
const MAX_COLORED = 200_000

/** Terminal output with its colors, as colors of the theme. */
const AnsiText = memo(function AnsiText({ text }: { readonly text: string }) {
  if (text.length > MAX_COLORED || !text.includes('\u001B')) return visibleText(withoutAnsi(text))
  return ansiSpans(text).map((span, index) =>
    span.look === '' ? (
      visibleText(span.text)
    ) : (
      <span key={index} className={span.look}>
        {visibleText(span.text)}
      </span>
    ),
  )
})
