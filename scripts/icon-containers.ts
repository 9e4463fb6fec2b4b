/** PNGs by size in pixels. */
type Pictures = ReadonlyMap<number, Buffer>

/** Returns a Windows icon: a directory of PNGs (ICO, Windows Vista and later). */
export function ico(pictures: Pictures): Buffer {
  const entries = [...pictures]
  const head = Buffer.alloc(6 + 16 * entries.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(entries.length, 4)
  let offset = head.length
  for (const [index, [size, png]] of entries.entries()) {
    const at = 6 + 16 * index
    // 0 means 256.
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...entries.map(([, png]) => png)])
}

/** Types of the PNGs in a macOS icon. One image can serve a size, and half that size at double density. */
const ICNS_TYPES: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic13', 256],
  ['ic09', 512],
  ['ic14', 512],
  ['ic10', 1024],
]

/** Returns a macOS icon (ICNS). Throws if a size is missing. */
export function icns(pictures: Pictures): Buffer {
  const parts = ICNS_TYPES.map(([type, size]) => {
    const png = pictures.get(size)
    if (png === undefined) throw new Error(`a macOS icon needs an image of ${size} pixels`)
    return chunk(type, png)
  })
  return chunk('icns', Buffer.concat(parts))
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32BE(content.length + 8, 4)
  return Buffer.concat([head, content])
}
