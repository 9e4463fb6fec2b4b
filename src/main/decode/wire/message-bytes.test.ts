import { expect, test } from 'vitest'
import { commonBytes } from './message-bytes.ts'

const KB = 1024

test.each([0, 1, 255, 256, 257, 4 * KB, 4 * KB + 300, 64 * KB - 1, 64 * KB, 64 * KB + 1, 200 * KB - 1])(
  'bodies that differ at byte %i have that many in common',
  (at) => {
    const one = Buffer.alloc(200 * KB, 'history ')
    const other = Buffer.from(one)
    other[at] = 0
    expect(commonBytes(one, other)).toBe(at)
    expect(commonBytes(other, one)).toBe(at)
  },
)

test('a body that goes on has all bytes of the shorter one', () => {
  const one = Buffer.alloc(70 * KB, 'history ')
  expect(commonBytes(one, Buffer.concat([one, Buffer.from('more')]))).toBe(one.length)
  expect(commonBytes(Buffer.alloc(0), one)).toBe(0)
})
