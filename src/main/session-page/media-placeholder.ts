type Payload = { readonly [key: string]: unknown }

/** Describes an image or a document whose bytes are not kept. */
export function mediaText({ type, media_type: mediaType, bytes, hash }: Payload): string {
  const kind = typeof mediaType === 'string' ? mediaType : String(type)
  return `[${type === 'document' ? 'Document' : 'Image'} not kept: ${kind}, ${String(bytes)} bytes, hash ${String(hash)}]`
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
