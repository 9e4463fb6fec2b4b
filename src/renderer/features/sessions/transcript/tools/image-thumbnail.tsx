import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { OperationOutput } from '../../../../../shared/contract/index.ts'
import { Button } from '../../../../components/button.tsx'
import { Dialog } from '../../../../components/dialog.tsx'
import { call } from '../../../../lib/client.ts'
import { formatCount } from '../../../../lib/format.ts'
import { enlarged, thumbnailOf } from '../../../../lib/thumbnail.ts'
import { currency } from '../../../../lib/operation.ts'
import { MediaNote } from './media-note.tsx'

type Refusal = NonNullable<OperationOutput<'images.get'>['refused']>

const REFUSALS: Readonly<Record<Refusal | 'undecodable', string>> = {
  gone: 'The client’s transcript no longer has it.',
  not_an_image: 'It is not a PNG, JPEG, GIF or WebP.',
  other_type: 'Its type differs from the recorded one.',
  too_large: 'It is too large to be shown.',
  undecodable: 'It cannot be decoded.',
}

interface ImageThumbnailProps {
  readonly uuid: string
  readonly hash: string
  /** Facts about the image that are known without loading it. */
  readonly name: string
}

/** A thumbnail of an event's image. Its box has the same height before and after it is loaded. A click enlarges it. */
export function ImageThumbnail({ uuid, hash, name }: ImageThumbnailProps): ReactNode {
  const [isLarge, setLarge] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['images.get', uuid, hash],
    queryFn: ({ signal }) => loadThumbnail(uuid, hash, signal),
    ...currency('images.get'),
  })
  if (error !== null) return <MediaNote name={name}>{error.message}</MediaNote>
  if (data?.refused) return <MediaNote name={name}>{REFUSALS[data.refused]}</MediaNote>
  const size = data === undefined ? '' : `, ${formatCount(data.width)} × ${formatCount(data.height)}`
  return (
    <figure className="my-1 flex max-w-full flex-col items-start">
      <div className="flex h-40 min-w-40 items-center justify-center max-w-full overflow-hidden rounded-small border bg-sunken">
        {data === undefined ? (
          <span className="text-meta text-faint">Loading…</span>
        ) : (
          <button type="button" className="size-full cursor-zoom-in" onClick={() => setLarge(true)}>
            <img src={data.address} alt={`Enlarge ${name}`} className="mx-auto max-h-40 max-w-full" />
          </button>
        )}
      </div>
      <figcaption className="text-meta text-faint">
        {name}
        {name.includes('×') ? '' : size}, from the client’s transcript
      </figcaption>
      {isLarge && <LargeImage uuid={uuid} hash={hash} name={name} onClose={() => setLarge(false)} />}
    </figure>
  )
}

interface Thumbnail {
  readonly refused: Refusal | 'undecodable' | null
  readonly address: string
  readonly width: number
  readonly height: number
}

async function loadThumbnail(uuid: string, hash: string, signal: AbortSignal): Promise<Thumbnail> {
  const { image, refused } = await call('images.get', { uuid, hash }, signal)
  if (image === null) return { refused: refused ?? 'gone', address: '', width: 0, height: 0 }
  const { width, height } = image
  try {
    return { refused: null, address: await thumbnailOf(image), width, height }
  } catch {
    // The header is valid, but the browser's decoder rejected the rest.
    return { refused: 'undecodable', address: '', width, height }
  }
}

interface LargeImageProps extends ImageThumbnailProps {
  readonly onClose: () => void
}

/** The image at its own size, if it fits. It is loaded again, because only the thumbnail is held. */
function LargeImage({ uuid, hash, name, onClose }: LargeImageProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const show = async () => {
      const { image } = await call('images.get', { uuid, hash }, stop.signal)
      if (image === null) return setFault(REFUSALS.gone)
      const canvas = await enlarged(image)
      canvas.className = 'max-h-[80vh] max-w-full object-contain'
      canvas.role = 'img'
      canvas.ariaLabel = name
      if (!stop.signal.aborted) place.current?.replaceChildren(canvas)
    }
    show().catch((error: unknown) => {
      if (!stop.signal.aborted) setFault(error instanceof Error ? error.message : REFUSALS.undecodable)
    })
    return () => stop.abort()
  }, [uuid, hash, name])
  return (
    <Dialog label={`Image: ${name}`} onClose={onClose} className="max-w-[94vw]">
      <div className="flex flex-col items-end gap-3 p-4">
        <div ref={place} className="flex min-h-40 min-w-40 items-center justify-center self-center" />
        {fault !== null && <p className="self-center text-bad">{fault}</p>}
        <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Close</Button>
      </div>
    </Dialog>
  )
}
