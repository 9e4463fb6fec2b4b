/** A reference in place of an image or a document, whose bytes are never recorded. */
export interface MediaReference {
  readonly type: 'image' | 'document'
  readonly media_type: string | null
  readonly bytes: number
  /** Keyed hash of the base64 text, or of the address if there is no text; hex. */
  readonly hash: string
}
