import { z } from 'zod'
import { uuid } from './fields.ts'
import { operation } from './operation.ts'

export const imageGet = operation({
  name: 'images.get',
  summary: "An event's image, read from the client's own transcript, if the setting app.show_images is on.",
  place: 'main',
  input: z.object({
    uuid,
    /** `hash` of one of the event's `media`. */
    hash: z.string().regex(/^[0-9a-f]{8,128}$/, 'the hash of an image of the event'),
  }),
  output: z.object({
    /** null if there is none to show. */
    image: z
      .object({
        media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
        /** In pixels, from its header. */
        width: z.number(),
        height: z.number(),
        /** Base64. Not redacted. */
        data: z.string(),
      })
      .nullable(),
    /**
     * The reason why there is none: no transcript has it any more, its format is not supported (such as SVG) or differs
     * from the record, or it is too large.
     */
    refused: z.enum(['gone', 'not_an_image', 'other_type', 'too_large']).nullable(),
  }),
})
