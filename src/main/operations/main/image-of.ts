import type { MediaReference } from '../../../shared/event.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import type { SettingsInForce } from '../../config/settings-in-force.ts'
import type { Read } from '../../session-page/page-facts.ts'
import type { Importer } from '../../transcripts/host/importer.ts'

/** The parts that `imageOf` needs. */
export interface ImageParts {
  readonly read: Read
  readonly importer: Pick<Importer, 'image'>
  readonly settings: Pick<SettingsInForce, 'config'>
}

/**
 * Answers with an image of a recorded event. Only the event's own hashes are looked up, so deleting an event also makes
 * its images unreachable.
 * @throws AspyError forbidden while the setting is off; not_found if there is no such event, or it has no such image
 */
export async function imageOf(
  { read, importer, settings }: ImageParts,
  { uuid, hash }: ParsedInput<'images.get'>,
): Promise<OperationOutput<'images.get'>> {
  if (!settings.config().app.show_images)
    throw new AspyError('forbidden', 'images are not shown; turn on app.show_images in the settings')
  const event = await read('events.get', { uuid })
  const reference = mediaOf(event.payload).find((media) => media.hash === hash)
  if (reference === undefined) throw new AspyError('not_found', 'the event has no such image')
  const { session_id, agent_id } = event
  const { bytes, media_type } = reference
  const found = await importer.image({ session_id, agent_id, hash, bytes, media_type })
  if (found.refused !== null) return { image: null, refused: found.refused }
  const { refused, ...image } = found
  return { image, refused }
}

function mediaOf(payload: Readonly<Record<string, unknown>>): readonly MediaReference[] {
  const media: unknown = payload['media']
  return Array.isArray(media) ? media.filter((one: MediaReference) => one.type === 'image') : []
}
