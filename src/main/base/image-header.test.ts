import { expect, test } from 'vitest'
import { imageHeader } from './image-header.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const pngOf = (width: number, height: number) => {
  const bytes = Buffer.alloc(33)
  hex('89504e470d0a1a0a 0000000d 49484452').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const webpOf = (chunk: string, body: string) =>
  Buffer.concat([
    Buffer.from('RIFF\x40\0\0\0WEBP', 'latin1'),
    Buffer.from(chunk, 'latin1'),
    hex(body),
    Buffer.alloc(16),
  ])
/** APP0 of 16 bytes with a small frame in its data, a comment, then the frame's header: 300 rows of 400. */
const JPEG = 'ffd8 ffe0 0010 ffc00011080001000103 00000000 fffe 0004 6869 ffc2 0011 08 012c 0190 03 012200021101'
/** A screen of 4 × 3 without a palette, and an extension before the first frame. */
const gifOf = (frame: string) =>
  hex(`474946383961 0400 0300 00 00 00 21f904 00000000 00 2c ${frame} 00 02 02 4401 00 3b`)

test.each([
  ['PNG', pngOf(640, 480), { type: 'image/png', width: 640, height: 480 }],
  ['JPEG, progressive, after other segments', hex(JPEG), { type: 'image/jpeg', width: 400, height: 300 }],
  ['GIF', gifOf('0000 0000 0400 0300'), { type: 'image/gif', width: 4, height: 3 }],
  ['WebP, lossy', webpOf('VP8 ', '10000000 000000 9d012a 4001 f000'), { type: 'image/webp', width: 320, height: 240 }],
  ['WebP, lossless', webpOf('VP8L', '10000000 2f 3fc13b00'), { type: 'image/webp', width: 320, height: 240 }],
  [
    'WebP, extended',
    webpOf('VP8X', '0a000000 00000000 3f0100 ef0000'),
    { type: 'image/webp', width: 320, height: 240 },
  ],
])('%s: format and dimensions', (_name, bytes, header) => {
  expect(imageHeader(bytes)).toEqual(header)
})

test('a first frame that is larger than the screen of its GIF counts', () => {
  expect(imageHeader(gifOf('0000 0000 ffff ffff'))).toEqual({ type: 'image/gif', width: 65_535, height: 65_535 })
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>1</script></svg>')],
  ['a page', Buffer.from('<!doctype html><img src=x onerror=alert(1)>'.padEnd(64))],
  ['a PNG without its header', hex('89504e470d0a1a0a')],
  ['a PNG whose first chunk is another', Buffer.concat([hex('89504e470d0a1a0a 0000000d 74455874'), Buffer.alloc(32)])],
  ['a PNG of no width', pngOf(0, 5)],
  ['a JPEG without a frame', hex('ffd8 ffe0 0004 0000 ffda 0008 010100003f00 1234567890')],
  ['a JPEG of endless padding', Buffer.concat([hex('ffd8'), Buffer.alloc(1000, 0xff)])],
  ['a GIF without a frame', hex('474946383961 0400 0300 00 00 00 3b 0000000000000000')],
  [
    'a GIF whose extension has no end',
    Buffer.concat([hex('474946383961 0400 0300 00 00 00 21fe ff'), Buffer.alloc(9, 1)]),
  ],
  ['a WebP of an unknown kind', webpOf('ABCD', '00000000 00000000 3f0100 ef0000')],
  ['a RIFF of sound', Buffer.from('RIFF....WAVEfmt '.padEnd(64))],
])('%s is not an image', (_name, bytes) => {
  expect(imageHeader(bytes)).toBeNull()
})
