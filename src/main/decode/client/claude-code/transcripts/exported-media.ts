import type { Json, MediaReference } from '../../../../../shared/event.ts'
import { isObject, stringOf } from '../../../../../shared/json-fields.ts'

/** The text block that our own export (`cli/export/media-placeholder.ts`) writes in place of bytes that are not kept. */
const NOT_KEPT = /^\[(Image|Document) not kept: ([\w.+/-]{1,100}), (\d{1,15}) bytes, hash (\w{1,128})\]$/

/** Returns the image or document that an exported text block describes; null for any other block. */
function exportedMedia(block: Json): MediaReference | null {
  if (!isObject(block) || block['type'] !== 'text') return null
  const [, word, kind = '', bytes, hash = ''] = NOT_KEPT.exec(stringOf(block['text']) ?? '') ?? []
  if (word === undefined) return null
  const type = word === 'Image' ? 'image' : 'document'
  return { type, media_type: kind.includes('/') ? kind : null, bytes: Number(bytes), hash }
}

/**
 * Returns the media of an exported prompt without words: all of its blocks describe media. Null for any other content,
 * including words that a person typed next to such a description.
 */
export function exportedMediaPrompt(content: Json | undefined): readonly MediaReference[] | null {
  if (!Array.isArray(content) || content.length === 0) return null
  const media = content.flatMap((block: Json) => exportedMedia(block) ?? [])
  return media.length === content.length ? media : null
}
