import { ImageOff } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { Json } from '../../../../../shared/json.ts'
import { AnsiText } from '../../../../components/ansi-text.tsx'
import { CodeFrame } from '../../../../components/code-block.tsx'
import { JsonTree } from '../../../../components/json-tree.tsx'
import { formatBytes } from '../../../../lib/format.ts'
import { withoutAnsi } from '../../../../lib/ansi.ts'
import { mediaOf, outputText, type OutputMedia, parsedJson } from './tool-output.ts'

interface ToolOutputProps {
  readonly output: Json
  /** There was an output, but the settings do not keep it. */
  readonly isLeftOut: boolean
}

/** The output of a call: text with the colors of a terminal, JSON as a tree, and a note for each image. */
export function ToolOutput({ output, isLeftOut }: ToolOutputProps): ReactNode {
  const text = useMemo(() => outputText(output), [output])
  const json = useMemo(() => parsedJson(text), [text])
  const media = mediaOf(output)
  if (isLeftOut) return <p className="py-1 text-meta text-faint">Output left out by the settings</p>
  if (text.trim() === '' && media.length === 0) return <p className="py-1 text-meta text-faint">No output</p>
  return (
    <>
      {media.map((one, at) => (
        <MediaNote key={at} media={one} />
      ))}
      {text.trim() !== '' &&
        (json === undefined ? (
          <CodeFrame text={text.replace(/\s+$/, '')} label="Output" copied={withoutAnsi(text)} copyName="Copy output">
            {(shown) => <AnsiText text={shown} />}
          </CodeFrame>
        ) : (
          <JsonTree value={json} label="Output" />
        ))}
    </>
  )
}

/** Says what image or document was here. Aspy never stores the bytes of media. */
export function MediaNote({ media }: { readonly media: OutputMedia }): ReactNode {
  const format = media.mediaType
    ?.split('/')[1]
    ?.replace(/^svg\+xml$/, 'svg')
    .toUpperCase()
  const name = format ?? (media.type === 'image' ? 'Image' : 'Document')
  return (
    <p className="my-1 flex w-fit flex-wrap items-center gap-x-2 rounded-small border border-dashed px-2.5 py-1 text-meta text-soft">
      <ImageOff className="size-3.5 shrink-0 text-faint" aria-hidden />
      <span>
        {name} {formatBytes(media.bytes)}, not kept
      </span>
      <span className="text-faint">Aspy stores no images or documents. Keep the client’s transcript to keep them.</span>
    </p>
  )
}
