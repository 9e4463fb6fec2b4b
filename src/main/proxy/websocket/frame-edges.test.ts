import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameEdges } from './frame-edges.ts'

interface Frame {
  readonly opcode: number
  readonly isLast: boolean
  readonly masked: boolean
  readonly length: number
}

function bytesOf({ opcode, isLast, masked, length }: Frame): Buffer {
  const mask = masked ? 0x80 : 0
  const head = [(isLast ? 0x80 : 0) | opcode]
  if (length < 126) head.push(mask | length)
  else if (length <= 0xffff) head.push(mask | 126, length >> 8, length & 0xff)
  else
    head.push(
      mask | 127,
      0,
      0,
      0,
      0,
      (length >>> 24) & 0xff,
      (length >> 16) & 0xff,
      (length >> 8) & 0xff,
      length & 0xff,
    )
  if (masked) head.push(1, 2, 3, 4)
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length, 0x81)])
}

/** Messages with control frames between and inside them. */
const length = fc.oneof(fc.nat(10), fc.constantFrom(125, 126, 127, 65_535, 65_536))
const control = fc.record({
  opcode: fc.constantFrom(8, 9, 10),
  isLast: fc.constant(true),
  masked: fc.boolean(),
  length: fc.nat(20),
})
const messages = fc.array(
  fc.record({
    opcode: fc.constantFrom(1, 2),
    masked: fc.boolean(),
    lengths: fc.array(length, { minLength: 1, maxLength: 3 }),
    controls: fc.array(control, { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 4 },
)

test('pieces are the bytes in order, cut where a message begins and ends, however they arrive', () => {
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 20 }),
      (list, sizes) => {
        const expected = list.map(({ opcode, masked, lengths, controls }) => {
          const frames = lengths.map((each, at) =>
            bytesOf({ opcode: at === 0 ? opcode : 0, isLast: at === lengths.length - 1, masked, length: each }),
          )
          const [first = Buffer.alloc(0), ...others] = frames
          return { message: Buffer.concat([first, ...controls.map(bytesOf), ...others]), isWhole: lengths.length }
        })
        const all = Buffer.concat(expected.map(({ message }) => message))
        const edges = new FrameEdges()
        const found: { bytes: Buffer[]; ended: boolean }[] = []
        for (let from = 0, turn = 0; from < all.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1
          for (const piece of edges.cut(all.subarray(from, from + size))) {
            if (piece.startsMessage) found.push({ bytes: [], ended: false })
            const last = found.at(-1)
            last?.bytes.push(Buffer.from(piece.bytes))
            if (piece.endsMessage && last) last.ended = true
          }
          from += size
        }
        expect(
          found.map(({ bytes }) => Buffer.concat(bytes).equals(expected.shift()?.message ?? Buffer.alloc(0))),
        ).toEqual(list.map(() => true))
        expect(found.every(({ ended }) => ended)).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})
