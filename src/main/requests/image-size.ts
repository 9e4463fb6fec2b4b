/** Base64 characters that are read: a JPEG may have long metadata before its size. */
const MOST_CHARACTERS = 256 * 1024

export interface ImageSize {
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** Reads the size of a PNG, GIF, WebP or JPEG from the beginning of its base64 text; null if it has none of these forms. */
export function imageSize(base64: string): ImageSize | null {
  const bytes = Buffer.from(base64.slice(0, MOST_CHARACTERS), 'base64')
  try {
    return sizeOf(bytes)
  } catch (error) {
    // The file ends before its size.
    if (error instanceof RangeError) return null
    throw error
  }
}

function sizeOf(bytes: Buffer): ImageSize | null {
  const head = bytes.toString('latin1', 0, 16)
  if (head.startsWith('\x89PNG')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (head.startsWith('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return webpSize(bytes, head.slice(12))
  return head.startsWith('\xff\xd8') ? jpegSize(bytes) : null
}

function webpSize(bytes: Buffer, form: string): ImageSize | null {
  if (form === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (form === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (form !== 'VP8L') return null
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** Walks the segments to the first start of a frame (SOF0 to SOF15 without tables). */
function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
