import { ImageOff } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AspyEvent } from '../../../../../shared/event.ts'
import { objectOf, numberOf } from '../../../../../shared/json-fields.ts'
import { formatBytes, formatCount } from '../../../../lib/format.ts'
import type { OutputMedia } from '../../../../../shared/tool-output.ts'

/** An event that can have images and documents. */
export type MediaEvent = AspyEvent<'user_prompt'> | AspyEvent<'tool_result'>

/** Names a format with its size, and the dimensions if the client said them: "PNG 102 KB, 640 × 480". */
export function describeMedia(media: OutputMedia, owner: MediaEvent | null): string {
  const format = media.mediaType
    ?.split('/')[1]
    ?.replace(/^svg\+xml$/, 'svg')
    .toUpperCase()
  const name = `${format ?? (media.type === 'image' ? 'Image' : 'Document')} ${formatBytes(media.bytes)}`
  const detail = owner?.kind === 'tool_result' ? owner.payload.detail : undefined
  const { originalWidth, originalHeight } = objectOf(objectOf(objectOf(detail)['file'])['dimensions'])
  const [width, height] = [numberOf(originalWidth), numberOf(originalHeight)]
  return width === null || height === null ? name : `${name}, ${formatCount(width)} × ${formatCount(height)}`
}

/** One line in place of an image or a document. */
export function MediaNote({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <p className="my-1 flex w-fit flex-wrap items-center gap-x-2 rounded-small border border-dashed px-2.5 py-1 text-meta text-soft">
      <ImageOff className="size-3.5 shrink-0 text-faint" aria-hidden />
      <span>{name}, not kept</span>
      <span className="text-faint">{children}</span>
    </p>
  )
}
