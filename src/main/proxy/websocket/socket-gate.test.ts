import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Gate, GateVisit } from '../gate.ts'
import type { MessagesError } from '../messages-error.ts'
import { SocketGate } from './socket-gate.ts'

const REFUSAL: MessagesError = {
  status: 400,
  type: 'invalid_request_error',
  message: 'stopped',
  code: 'invalid_prompt',
}
const PING = Buffer.from([0x89, 0x80, 1, 2, 3, 4])

/** A masked frame of a client; `first` is its first byte. */
function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = length < 126 ? [first, 0x80 | length] : [first, 0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}
const text = (words: string) => frame(0x81, Buffer.from(words))

interface Seen {
  body: Buffer
  isWhole: boolean
  hasLeft: boolean
  isFinished: boolean
  readonly decide: (refusal: MessagesError | null) => void
}

/** A gate whose verdicts come when the test says so, and both ends of the socket. */
function gated() {
  const visits: Seen[] = []
  const gate: Gate = {
    gatesSocket: () => true,
    enter(): GateVisit {
      const verdict = Promise.withResolvers<MessagesError | null>()
      const seen: Seen = {
        body: Buffer.alloc(0),
        isWhole: false,
        hasLeft: false,
        isFinished: false,
        decide: verdict.resolve,
      }
      visits.push(seen)
      return {
        verdict: verdict.promise,
        requestBytes: (bytes) => void (seen.body = Buffer.concat([seen.body, bytes])),
        requestEnd: () => void (seen.isWhole = true),
        leave: () => void (seen.hasLeft = true),
        finish: () => void (seen.isFinished = true),
      }
    },
  }
  const sent: Uint8Array[] = []
  const refused: Buffer[] = []
  const calls: string[] = []
  const socket = new SocketGate({
    gate,
    captured: null,
    handshake: { method: 'GET', path: '/responses', headers: [] },
    answer: [],
    toUpstream: (bytes) => void sent.push(Buffer.from(bytes)),
    refuse: (frames) => void refused.push(frames),
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  })
  return { socket, visits, refused, calls, sent: () => Buffer.concat(sent) }
}
const settle = () => new Promise(setImmediate)

test('allowed messages arrive byte by byte in their order, however they are cut and in whatever order they are allowed', async () => {
  const messages = fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(messages, fc.integer({ min: 1, max: 400 }), fc.nat(), async (list, size, seed) => {
      const { socket, visits, sent } = gated()
      const bytes = Buffer.concat(list.map(text))
      for (let from = 0; from < bytes.length; from += size) socket.fromClient(bytes.subarray(from, from + size))
      expect(sent()).toHaveLength(0)
      expect(visits.map(({ isWhole }) => isWhole)).toEqual(list.map(() => true))
      expect(visits.map(({ body }) => body)).toEqual(list.map(text))
      for (const at of list.keys()) visits[(at + seed) % list.length]?.decide(null)
      await settle()
      expect(sent().equals(bytes)).toBe(true)
      expect(visits.map(({ isFinished }) => isFinished)).toEqual(list.map((_, at) => at < list.length - 1))
    }),
    { numRuns: 100 },
  )
})

test('a message is finished before the next one is judged', async () => {
  const { socket, visits } = gated()
  socket.fromClient(text('one'))
  visits[0]?.decide(null)
  await settle()
  socket.fromClient(text('two'))
  expect(visits.map(({ isFinished }) => isFinished)).toEqual([true, false])
})

test('a ping passes while a message waits, and is never cut by it', async () => {
  const { socket, visits, sent } = gated()
  socket.fromClient(Buffer.concat([text('one'), PING.subarray(0, 4)]))
  visits[0]?.decide(null)
  await settle()
  expect(sent()).toHaveLength(0)
  socket.fromClient(PING.subarray(4))
  await settle()
  expect(sent()).toEqual(Buffer.concat([PING, text('one')]))
})

test('a refused message is not sent, nor what follows; its error waits for the end of the answer under way', async () => {
  const { socket, visits, sent, refused } = gated()
  socket.fromClient(Buffer.concat([text('one'), text('two')]))
  visits[0]?.decide(null)
  await settle()
  // An unmasked frame of 5 bytes, of which 2 have arrived.
  socket.fromUpstream(Buffer.from([0x81, 5, 1, 2]))
  visits[1]?.decide(REFUSAL)
  await settle()
  expect(refused).toEqual([])
  socket.fromUpstream(Buffer.from([3, 4, 5]))
  socket.fromClient(text('three'))
  const [frames = Buffer.alloc(0)] = refused
  expect([frames[0], frames[1], frames.readUInt16BE(2)]).toEqual([0x81, 126, frames.length - 8])
  expect(JSON.parse(frames.subarray(4, -4).toString())).toEqual({
    type: 'error',
    status: 400,
    error: { message: 'stopped', type: 'invalid_request_error', param: null, code: 'invalid_prompt' },
  })
  expect(frames.subarray(-4)).toEqual(Buffer.from([0x88, 2, 0x03, 0xe8]))
  expect(sent()).toEqual(text('one'))
})

test('the wait of every message ends with the connection', async () => {
  const { socket, visits, sent } = gated()
  socket.fromClient(Buffer.concat([text('one'), text('two')]))
  socket.leave()
  for (const { decide } of visits) decide(null)
  await settle()
  expect(visits.map(({ hasLeft }) => hasLeft)).toEqual([true, true])
  expect(sent()).toHaveLength(0)
})

test('a client that sends without end is not read further until a message leaves', async () => {
  const { socket, visits, calls } = gated()
  const large = Buffer.concat([
    Buffer.from([0x82, 0xff, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.alloc(5 * 2 ** 24),
  ])
  socket.fromClient(large)
  expect(calls).toEqual(['pause'])
  visits[0]?.decide(null)
  await settle()
  expect(calls).toEqual(['pause', 'resume'])
})
