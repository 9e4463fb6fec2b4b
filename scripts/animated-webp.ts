/** Rectangle of a picture that is painted over the one before: place in px (even), size in px, a still WebP and its time in ms. */
export interface Frame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly ms: number
  readonly still: Buffer
}

function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 0, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

function numbers(...sized: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    sized.map(([value, bytes]) => {
      const part = Buffer.alloc(bytes)
      part.writeUIntLE(value, 0, bytes)
      return part
    }),
  )
}

/** Image data of a still WebP: its chunks without the container. */
function imageOf(still: Buffer): Buffer {
  for (let at = 12; at < still.length;) {
    const end = at + 8 + still.readUInt32LE(at + 4)
    if (['VP8 ', 'VP8L'].includes(still.toString('latin1', at, at + 4))) return still.subarray(at, end + (end % 2))
    at = end + (end % 2)
  }
  throw new Error('no image in this WebP')
}

/** Puts opaque frames together to an animated WebP that repeats for ever (RFC 9649, section 2.7). */
export function animatedWebp(width: number, height: number, frames: readonly Frame[]): Buffer {
  const hasAnimation = 2
  const withoutBlending = 2
  const header = numbers([hasAnimation, 4], [width - 1, 3], [height - 1, 3])
  const parts = frames.map(({ x, y, width: w, height: h, ms, still }) =>
    chunk(
      'ANMF',
      Buffer.concat([
        numbers([x / 2, 3], [y / 2, 3], [w - 1, 3], [h - 1, 3], [ms, 3], [withoutBlending, 1]),
        imageOf(still),
      ]),
    ),
  )
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', header), chunk('ANIM', numbers([0, 6])), ...parts])
  return chunk('RIFF', body)
}
