import { describe, expect, test, vi } from 'vitest'
import { messagesOf } from './protocol/parcel.ts'
import { createTap, type TapOptions } from './tap.ts'
import type { TapMessage, TapParcel } from './protocol/tap-protocol.ts'

const REQUEST = { method: 'POST', path: '/v1/messages', headers: ['X-A', '1'] } as const

/** A tap, and the parcels as a recorder on another thread receives them: clones with transferred buffers. */
function tapped(options: Partial<TapOptions> = {}) {
  const received: TapMessage[] = []
  const posts: number[] = []
  const drops: string[] = []
  const tap = createTap({
    maxQueueBytes: 1_000_000,
    post(parcels, transfer) {
      const messages = structuredClone(parcels, { transfer }).flatMap(messagesOf)
      posts.push(messages.length)
      received.push(...messages)
    },
    onDrop: (reason) => void drops.push(reason),
    ...options,
  })
  return { tap, received, posts, drops }
}

/** Formats messages briefly, with bytes as text. */
const brief = (messages: readonly TapMessage[]) =>
  messages.map((message) =>
    'bytes' in message ? `${message.type}: ${Buffer.from(message.bytes).toString()}` : message.type,
  )

function whole(tap: ReturnType<typeof createTap>, answer: readonly string[] = ['answer']) {
  const exchange = tap.open(REQUEST)
  exchange.requestBytes(Buffer.from('ask'))
  exchange.requestEnd()
  exchange.responseHead(200, [])
  for (const part of answer) exchange.responseBytes(Buffer.from(part))
  exchange.end('complete')
  return exchange
}

describe('captured data', () => {
  test('tells the clock when the upstream answered, by its date', () => {
    const heard: number[] = []
    const clock = { wall: () => 1, run: () => 1, heard: (time: number) => void heard.push(time) }
    const exchange = tapped().tap.open({ ...REQUEST, clock })
    exchange.responseHead(200, ['x-date', 'no', 'Date', 'Sun, 29 Nov 2026 12:00:00 GMT'])
    exchange.responseHead(200, ['x', 'date'])
    expect(heard).toEqual([Date.parse('2026-11-29T12:00:00.000Z'), Number.NaN])
  })

  test('is posted in order and at once, with the pieces of a body joined', () => {
    const { tap, received, posts } = tapped()
    whole(tap, ['one ', 'two ', 'three'])
    expect(received).toEqual([])
    tap.flush()
    expect(brief(received)).toEqual([
      'open',
      'request_bytes: ask',
      'request_end',
      'response_head',
      'response_bytes: one two three',
      'end',
    ])
    expect(posts).toEqual([6])
    expect(received[0]).toMatchObject({
      ...REQUEST,
      headers: [['X-A', '1']],
      type: 'open',
      wall: expect.any(Number),
      at: expect.any(Number),
    })
    expect(received.at(-1)).toMatchObject({ outcome: 'complete', error: null })
  })

  test('is posted within 20 ms', () => {
    vi.useFakeTimers()
    try {
      const { tap, received } = tapped()
      const exchange = tap.open(REQUEST)
      vi.advanceTimersByTime(19)
      exchange.requestEnd()
      expect(received).toEqual([])
      vi.advanceTimersByTime(1)
      expect(brief(received)).toEqual(['open', 'request_end'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('is batched, however many exchanges came before: only large bodies are posted early', async () => {
    vi.useFakeTimers()
    try {
      const { tap, posts } = tapped({ maxQueueBytes: 1e8 })
      const headers = ['X-Long', 'x'.repeat(5000)]
      for (let count = 0; count < 500; count += 1) {
        const exchange = tap.open({ ...REQUEST, headers })
        exchange.responseBytes(Buffer.alloc(2000))
        exchange.end('complete')
        await vi.advanceTimersByTimeAsync(1)
      }
      expect(posts.length).toBeLessThanOrEqual(500 / 20 + 1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('is one parcel per exchange, with one buffer and one string for all headers, to keep cloning cheap', () => {
    const parcels: TapParcel[] = []
    const buffers: ArrayBuffer[] = []
    const { tap } = tapped({
      post(posted, transfer) {
        parcels.push(...posted)
        buffers.push(...transfer)
      },
    })
    for (let count = 0; count < 3; count += 1) whole(tap, ['one ', 'two'])
    tap.flush()
    expect([parcels.length, buffers.length]).toEqual([3, 3])
    const values = parcels.flatMap(({ parts }) => parts.flat())
    expect(values.filter((value) => typeof value === 'object' && value !== null)).toEqual([])
    expect(values.length).toBe(3 * 22)
  })

  test('of a large body is posted immediately, in slices', async () => {
    const { tap, received, posts } = tapped({ maxQueueBytes: 1e8 })
    const exchange = tap.open(REQUEST)
    const piece = Buffer.alloc(65_536, 'x')
    for (let index = 0; index < 64; index += 1) exchange.requestBytes(piece)
    for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(posts.length).toBeGreaterThanOrEqual(8)
    const sizes = received.flatMap((message) => ('bytes' in message ? [message.bytes.byteLength] : []))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(64 * piece.byteLength)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512 * 1024)
  })

  test('is copied once; memory that a socket may hold is neither changed nor transferred', () => {
    const { tap, received } = tapped()
    const exchange = tap.open(REQUEST)
    const socketMemory = Buffer.from('....data: hello\n\n....')
    for (let index = 0; index < 100; index += 1) exchange.responseBytes(socketMemory.subarray(4, 17))
    tap.flush()
    expect(tap.stats()).toMatchObject({ copied_bytes: 1300, posted_messages: 2 })
    expect(socketMemory.toString()).toBe('....data: hello\n\n....')
    expect(brief(received)[1]).toBe(`response_bytes: ${'data: hello\n\n'.repeat(100)}`)
  })
})

describe('an unacknowledged exchange', () => {
  test('is held until the recorder acknowledges it', () => {
    const { tap } = tapped()
    const first = whole(tap)
    const second = tap.open(REQUEST)
    tap.flush()
    const before = tap.stats()
    expect(before).toMatchObject({ in_flight: 1, seen: 2, acknowledged: 0 })
    tap.acknowledge(first.id)
    tap.acknowledge('unknown')
    expect(tap.stats()).toMatchObject({ in_flight: 1, seen: 2, acknowledged: 1 })
    expect(tap.stats().queue_bytes).toBeLessThan(before.queue_bytes)
    second.end('client_aborted')
    tap.acknowledge(second.id)
    expect(tap.stats()).toMatchObject({ in_flight: 0, acknowledged: 2, queue_bytes: 0 })
  })

  test('is posted again to a new recorder, byte for byte, followed by its rest', () => {
    const { tap, received } = tapped()
    tap.acknowledge(whole(tap).id)
    const kept = whole(tap)
    const open = tap.open(REQUEST)
    open.requestBytes(Buffer.from('first half, '))
    tap.flush()
    const before = received.splice(0)
    tap.replay()
    expect(received).toEqual(before)
    received.length = 0
    open.requestBytes(Buffer.from('second half'))
    tap.flush()
    expect(brief(received)).toEqual(['request_bytes: second half'])
    expect(tap.stats()).toMatchObject({ seen: 3, acknowledged: 1 })
    expect(before.filter((message) => message.exchange === kept.id)).toHaveLength(6)
  })

  test('is neither posted nor lost while no recorder accepts it', () => {
    let isThere = false
    const received: TapMessage[] = []
    const failures: unknown[] = []
    const { tap } = tapped({
      post(parcels) {
        if (!isThere) throw new Error('not there')
        received.push(...parcels.flatMap(messagesOf))
      },
      onPostFailure: (error) => void failures.push(error),
    })
    whole(tap)
    tap.flush()
    whole(tap)
    tap.flush()
    expect(failures).toEqual([new Error('not there')])
    expect(tap.stats().failures).toBe(1)
    isThere = true
    tap.replay()
    expect(brief(received).filter((line) => line === 'end')).toHaveLength(2)
  })

  test('that was never received whole by a recorder is posted to the next, however many died', () => {
    const { tap, drops } = tapped()
    const exchange = tap.open(REQUEST)
    for (let died = 0; died < 10; died += 1) {
      exchange.responseBytes(Buffer.from('more'))
      tap.flush()
      tap.replay()
    }
    expect(drops).toEqual([])
  })

  test('counts as late only while it can still be recorded', () => {
    const { tap } = tapped({ maxQueueBytes: 3000 })
    tap.acknowledge(whole(tap).id)
    const dropped = tap.open(REQUEST)
    dropped.requestBytes(Buffer.alloc(4000))
    dropped.end('complete')
    expect(tap.stats()).toMatchObject({ queue_bytes: 0, in_flight: 0, lag: { oldest_ms: 0 } })
    whole(tap)
    for (let died = 0; died < 4; died += 1) {
      tap.flush()
      tap.replay()
    }
    expect(tap.stats()).toMatchObject({ queue_bytes: 0, dropped: { recorder_failed: 1 }, lag: { oldest_ms: 0 } })
  })

  test('is posted whole before a shutdown, however large', () => {
    const { tap, received } = tapped({ maxQueueBytes: 10_000_000 })
    for (let at = 0; at < 3; at += 1) whole(tap, ['a'.repeat(600_000)])
    tap.flush()
    expect(received.filter(({ type }) => type === 'end')).toHaveLength(3)
  })

  test('is dropped if it ends every recorder', () => {
    const { tap, received, drops } = tapped()
    whole(tap)
    tap.flush()
    for (let recorder = 0; recorder < 3; recorder += 1) tap.replay()
    expect([received.filter((message) => message.type === 'open').length, drops]).toEqual([4, []])
    tap.replay()
    expect(drops).toEqual(['recorder_failed'])
    expect(tap.stats()).toMatchObject({ queue_bytes: 0, dropped: { recorder_failed: 1 } })
  })
})

describe('over the memory limit', () => {
  test('whole exchanges are dropped and counted, the recorder learns of those it knew, and the others continue', () => {
    const { tap, received, drops } = tapped({ maxQueueBytes: 10_000 })
    const known = tap.open(REQUEST)
    known.requestBytes(Buffer.alloc(2000, 'a'))
    tap.flush()
    known.requestBytes(Buffer.alloc(9000, 'b'))
    // Nothing more follows, so that no partial exchange is recorded.
    known.requestBytes(Buffer.from('late'))
    known.end('complete')
    const unknown = tap.open(REQUEST)
    unknown.requestBytes(Buffer.alloc(11_000))
    const small = whole(tap)
    tap.flush()
    expect(drops).toEqual(['queue_full', 'queue_full'])
    const typesOf = ({ id }: { readonly id: string }) =>
      received.filter(({ exchange }) => exchange === id).map(({ type }) => type)
    expect(typesOf(known)).toEqual(['open', 'request_bytes', 'discard'])
    expect(typesOf(unknown)).toEqual([])
    expect(typesOf(small)).toHaveLength(6)
    tap.acknowledge(small.id)
    const held = { queue_bytes: 0, in_flight: 0 }
    expect(tap.stats()).toMatchObject({ ...held, seen: 3, acknowledged: 1, dropped: { queue_full: 2 } })
  })

  test('a dead recorder costs no more memory than the limit, however many tiny pieces arrive', () => {
    const { tap } = tapped({ maxQueueBytes: 50_000, post: () => undefined })
    for (let index = 0; index < 1000; index += 1) {
      const exchange = tap.open(REQUEST)
      for (let piece = 0; piece < 10; piece += 1) exchange.responseBytes(Buffer.from('x'))
      exchange.end('complete')
    }
    const { queue_bytes, dropped, in_flight } = tap.stats()
    expect(queue_bytes).toBeLessThanOrEqual(50_000)
    expect(dropped.queue_full).toBeGreaterThan(900)
    expect(in_flight).toBe(0)
  })
})

test('errors from the recorder or a listener never reach the proxy', () => {
  const fail = () => {
    throw new Error('on everything')
  }
  const { tap } = tapped({ maxQueueBytes: 2000, post: fail, onDrop: fail, onPostFailure: fail })
  whole(tap)
  tap.flush()
  whole(tap, ['x'.repeat(5000)])
  tap.replay()
  expect(tap.stats()).toMatchObject({ failures: 5, dropped: { queue_full: 1 } })
})
