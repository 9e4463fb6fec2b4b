import * as fc from 'fast-check'
import { constants, createDeflateRaw } from 'node:zlib'
import { expect, test } from 'vitest'
import { MessageReader, type SocketMessage } from './message-reader.ts'

const PLAIN = { isOn: false, keepsContext: false }
const PACKED = { isOn: true, keepsContext: true }

function frame(first: number, payload: Buffer, isMasked: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0
  const { length } = payload
  const head =
    length < 126
      ? [first, mask | length]
      : length <= 0xffff
        ? [first, mask | 126, length >> 8, length & 0xff]
        : [first, mask | 127, 0, 0, 0, 0, 0, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff]
  if (!isMasked) return Buffer.concat([Buffer.from(head), payload])
  return Buffer.concat([
    Buffer.from([...head, 9, 8, 7, 6]),
    Buffer.from(payload.map((byte, at) => byte ^ (9 - (at & 3)))),
  ])
}

const read = (reader: MessageReader, bytes: Buffer, size: number): SocketMessage[] => {
  const messages: SocketMessage[] = []
  for (let from = 0; from < bytes.length; from += size) messages.push(...reader.push(bytes.subarray(from, from + size)))
  return messages
}
const textsOf = (messages: readonly SocketMessage[]) =>
  messages.map((message) => (message.type === 'message' ? message.bytes.toString() : `broken: ${message.why}`))

/** Packs messages one after another, each compressed with the earlier ones. */
async function packed(texts: readonly string[]): Promise<Buffer[]> {
  const deflate = createDeflateRaw()
  const all: Buffer[] = []
  for (const text of texts) {
    const out: Buffer[] = []
    const take = (chunk: Buffer) => out.push(chunk)
    deflate.on('data', take)
    deflate.write(text)
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()))
    deflate.off('data', take)
    all.push(Buffer.concat(out).subarray(0, -4))
  }
  return all
}

test('messages are the same in pieces of any size, masked or not, with pings between and inside', () => {
  const part = fc.string({ maxLength: 300 })
  fc.assert(
    fc.property(
      fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 400 }),
      (list, isMasked, size) => {
        const bytes = Buffer.concat(
          list.flatMap((parts) =>
            parts.flatMap((text, at) => [
              frame((at === parts.length - 1 ? 0x80 : 0) | (at === 0 ? 1 : 0), Buffer.from(text), isMasked),
              frame(0x89, Buffer.from('ping'), isMasked),
            ]),
          ),
        )
        expect(textsOf(read(new MessageReader(PLAIN), bytes, size))).toEqual(
          list.map((parts) => Buffer.from(parts.join('')).toString()),
        )
      },
    ),
    { numRuns: 200 },
  )
})

test('packed messages build on earlier ones, further back than one window', async () => {
  const texts = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n, text: `solarized ${n % 7} `.repeat(400) }))
  const bytes = Buffer.concat((await packed(texts)).map((payload) => frame(0xc1, payload, false)))
  expect(textsOf(read(new MessageReader(PACKED), bytes, 1000))).toEqual(texts)
})

test('any bytes are read without a failure, and reported once', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), (bytes, isPacked) => {
      const messages = read(new MessageReader(isPacked ? PACKED : PLAIN), Buffer.from(bytes), 7)
      expect(messages.filter(({ type }) => type === 'broken').length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 500 },
  )
})

test('a message that unpacks to more than the limit is left out, and so is the rest', async () => {
  const [bomb = Buffer.alloc(0), after = Buffer.alloc(0)] = await packed(['0'.repeat(1_000_000), 'after'])
  const reader = new MessageReader(PACKED, 100_000)
  expect(textsOf(reader.push(frame(0xc1, bomb, false)))).toEqual([
    expect.stringMatching(/^broken: a message could not be unpacked/),
  ])
  expect(reader.push(frame(0xc1, after, false))).toEqual([])
  const long = new MessageReader(PLAIN, 100)
  expect(textsOf(long.push(frame(0x81, Buffer.alloc(101), false)))).toEqual([
    'broken: a message of more than 100 bytes',
  ])
})

test('what later messages build on may be missing; without a context it does not matter', () => {
  expect(textsOf(new MessageReader(PACKED).lose())).toEqual([
    expect.stringMatching(/earlier messages of the connection are missing/),
  ])
  const reader = new MessageReader({ isOn: true, keepsContext: false })
  expect(reader.lose()).toEqual([])
  expect(textsOf(reader.push(frame(0x81, Buffer.from('still'), false)))).toEqual(['still'])
})
