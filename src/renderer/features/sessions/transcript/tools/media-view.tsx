import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext } from 'react'
import { useOperation } from '../../../../lib/operation.ts'
import { history } from '../../../../lib/history.ts'
import { ImageThumbnail } from './image-thumbnail.tsx'
import { describeMedia, type MediaEvent, MediaNote } from './media-note.tsx'
import type { OutputMedia } from '../../../../../shared/tool-output.ts'

/** The event whose images are shown; null if they are only mentioned. */
export const MediaOwner = createContext<MediaEvent | null>(null)

/** An image or document of the conversation: a thumbnail if the settings request it, or else a description. */
export function MediaView({ media }: { readonly media: OutputMedia }): ReactNode {
  const owner = useContext(MediaOwner)
  const showsImages = useShowsImages()
  const isImage = media.type === 'image'
  const name = describeMedia(media, owner)
  if (showsImages && isImage && owner !== null)
    return <ImageThumbnail uuid={owner.uuid} hash={media.hash} name={name} />
  return (
    <MediaNote name={name}>
      {!isImage ? (
        'Aspy stores no documents.'
      ) : history === 'team' || showsImages ? (
        'Aspy stores no images.'
      ) : (
        <>
          Aspy stores no images, but can show those that the client’s transcript still has:{' '}
          <Link to="/settings" search={{ q: 'show_images' }} className="text-accent underline">
            Show images
          </Link>
        </>
      )}
    </MediaNote>
  )
}

/** Returns whether the settings ask for images. A team's history has none: transcripts stay on their machines. */
function useShowsImages(): boolean {
  const { data } = useOperation('config.get', {}, { enabled: history === 'mine', freshMs: 60_000 })
  return data?.items.find(({ key }) => key === 'app.show_images')?.value === true
}
