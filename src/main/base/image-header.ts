/**
 * The formats that a transcript may hold and the window shows. SVG is not one of them: it can hold scripts and
 * addresses.
 */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** Facts about an image from its first bytes, without decoding it. */
export interface ImageHeader {
  readonly type: ImageType
  readonly width: number
  readonly height: number
}

/** Reads format and dimensions from the bytes of an image; null if the format is not known or the bytes are cut off. */
export const imageHeader = (bytes: Buffer): ImageHeader | null => png(bytes) ?? jpeg(bytes) ?? gif(bytes) ?? webp(bytes)

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

function png(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 24 || !bytes.subarray(0, 16).equals(PNG_SIGNATURE)) return null
  return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

/** Markers without a length: padding, restarts, the start of the image. */
const isBareMarker = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** The frame's header, of any kind; the other markers in this range are tables. */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpeg(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8 || bytes[2] !== 0xff) return null
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isBareMarker(marker)) at += 2
    // The image's data or its end: no frame was named.
    else if (marker === 0xda || marker === 0xd9) return null
    else if (isFrameMarker(marker)) return sized('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return null
}

function gif(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null
  const width = bytes.readUInt16LE(6)
  const height = bytes.readUInt16LE(8)
  const frame = firstFrame(bytes)
  // Decoders enlarge the screen to a first frame that does not fit in it.
  return frame === null ? null : sized('image/gif', Math.max(width, frame.right), Math.max(height, frame.bottom))
}

/** Skips the palette and extensions of a GIF to its first frame. */
function firstFrame(bytes: Buffer): { readonly right: number; readonly bottom: number } | null {
  const flags = bytes[10] ?? 0
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1))
  while (at + 9 <= bytes.length) {
    if (bytes[at] === 0x2c) {
      return {
        right: bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5),
        bottom: bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7),
      }
    }
    if (bytes[at] !== 0x21) return null
    at += 2
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0)
    at += 1
  }
  return null
}

function webp(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null
      return sized('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null
      const bits = bytes.readUInt32LE(21)
      return sized('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return sized('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return null
  }
}

const sized = (type: ImageType, width: number, height: number): ImageHeader | null =>
  width === 0 || height === 0 ? null : { type, width, height }
