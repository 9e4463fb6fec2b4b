import { byteSize } from './figures.ts'

type Payload = { readonly [key: string]: unknown }

/** Describes an image or a document whose bytes are not kept, for a reader. */
export function mediaNote(media: Payload): string {
  const { what, kind, bytes } = described(media)
  return `${what} not kept: ${kind.replace(/^.*\/|\+.*$/g, '').toUpperCase()}, ${byteSize(Number(bytes))}`
}

/** Describes an image or a document so that an import recognizes it. */
export function mediaText(media: Payload): string {
  const { what, kind, bytes } = described(media)
  return `[${what} not kept: ${kind}, ${String(bytes)} bytes, hash ${String(media['hash'])}]`
}

function described({ type, media_type: mediaType, bytes }: Payload) {
  const kind = typeof mediaType === 'string' ? mediaType : String(type)
  return { what: type === 'document' ? 'Document' : 'Image', kind, bytes }
}

/** Returns a tool's output with a text block in place of each media reference, which the API would refuse. */
export function blocksWithoutMedia(output: unknown): unknown {
  if (!Array.isArray(output)) return output
  return output.map((block: unknown) => (isReference(block) ? { type: 'text', text: mediaText(block) } : block))
}

function isReference(block: unknown): block is Payload {
  if (typeof block !== 'object' || block === null) return false
  const { type, hash } = block as Payload
  return (type === 'image' || type === 'document') && typeof hash === 'string'
}
