import { MessageChannel } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { AspyError } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { ImportLane, type ImportLaneOptions } from './import-lane.ts'
import type { ToImporter } from '../../protocol.ts'

afterEach(() => void vi.restoreAllMocks())

const drafts = (count: number): AnyDraft[] =>
  Array.from({ length: count }, (_, at) => ({
    kind: 'notification',
    source: 'transcript',
    payload: { text: String(at) },
    session_id: 's',
    agent_id: null,
    ts_wall: '2026-11-21T10:00:00.000Z',
    ts_monotonic: null,
    keys: [],
    parents: [],
  }))

function makeLane(
  write: ImportLaneOptions['write'],
  settle: () => void = () => undefined,
  hasLive: () => boolean = () => false,
) {
  const { port1, port2 } = new MessageChannel()
  const order: string[] = []
  let isOpen = false
  let previewed = Number.POSITIVE_INFINITY
  const lane = new ImportLane({
    forget: () => undefined,
    preview({ end = [] }) {
      previewed = Math.min(previewed, end.length)
      order.push(`${previewed} left`)
      if (previewed > 0) previewed -= 1
      return previewed === 0
    },
    liveFirst() {
      order.push('live')
      if (!hasLive()) return false
      // As in the store, live traffic commits the open transaction before its own.
      if (isOpen) settle()
      isOpen = false
      return true
    },
    isLeftOpen: () => isOpen,
    isBehind: () => false,
    *settleInSteps() {
      for (const step of isOpen ? ['rows', 'index'] : []) {
        order.push(step)
        yield
      }
      order.push(isOpen ? 'commit' : 'committed before')
      if (isOpen) settle()
      isOpen = false
    },
    write(slice, kept) {
      order.push('slice')
      const written = write(slice, kept)
      isOpen ||= kept.staysOpen
      return written
    },
    onRedacted: () => undefined,
    onUnknownFields: () => undefined,
    onPrepared: () => undefined,
  })
  lane.connect(port2)
  return {
    lane,
    port: port1,
    order,
    answer: () => new Promise<ToImporter>((resolve) => port1.once('message', resolve)),
  }
}

const checkpoint = { path: '/f', identity: 'i', offset: 10, size: 10, mtime_ms: 1 }

test('live traffic precedes every slice and commit step; slow writes shrink the slices; the checkpoint comes last', async () => {
  const sizes: number[] = []
  const checkpoints: unknown[] = []
  const { lane, port, order, answer } = makeLane((slice, given) => {
    sizes.push(slice.length)
    checkpoints.push(given.checkpoints)
    // One millisecond per draft.
    const end = performance.now() + slice.length
    while (performance.now() < end);
    return { added: slice.length, joined: 0, deleted: 0, dropped: 0 }
  })
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(300), checkpoints: [checkpoint] })
  expect(await answer()).toEqual({ type: 'committed', batch: 1, added: 300, joined: 0, deleted: 0, dropped: 0 })
  expect(sizes.length).toBeGreaterThan(5)
  expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(50)
  expect(checkpoints.flat()).toEqual([checkpoint])
  expect(checkpoints.at(-1)).toEqual([checkpoint])
  expect(new Set(order)).toEqual(new Set(['live', 'slice', 'rows', 'index', 'commit']))
  const before = order.flatMap((step, at) => (step === 'live' ? [] : [order[at - 1]]))
  expect(before).toEqual(before.map(() => 'live'))
  lane.stop()
  port.close()
})

test('live commits and slices take turns, so that live traffic never blocks an import for good', async () => {
  const write: ImportLaneOptions['write'] = (slice) => ({ added: slice.length, joined: 0, deleted: 0, dropped: 0 })
  const { lane, port, order, answer } = makeLane(write, undefined, () => true)
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(120) })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 1, added: 120 })
  const before = order.flatMap((step, at) => (step === 'slice' ? [order.slice(Math.max(0, at - 2), at)] : []))
  expect(before.length).toBeGreaterThan(1)
  expect(before).toEqual(before.map(() => ['live', 'live']))
  lane.stop()
  port.close()
})

test('batches that live traffic committed are answered before more is written', async () => {
  const arrived = [false, true]
  const write: ImportLaneOptions['write'] = (slice) => ({ added: slice.length, joined: 0, deleted: 0, dropped: 0 })
  const { lane, port, order, answer } = makeLane(write, undefined, () => arrived.shift() ?? false)
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(20) })
  port.postMessage({ type: 'import', batch: 2, drafts: drafts(20) })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 1, added: 20 })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 2, added: 20 })
  expect(order.slice(0, 7)).toEqual(['live', 'slice', 'live', 'live', 'committed before', 'live', 'slice'])
  lane.stop()
  port.close()
})

test('what live traffic commits says how much may be open: never more than it can wait for', async () => {
  // A separate clock: a draft takes a millisecond to write, and a fifth of that to commit.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  let [open, longest, dueAt] = [0, 0, 0]
  const commit = () => {
    now += open / 5
    longest = Math.max(longest, open)
    open = 0
  }
  const { lane, port, answer } = makeLane(
    (slice) => {
      now += slice.length
      open += slice.length
      return { added: slice.length, joined: 0, deleted: 0, dropped: 0 }
    },
    commit,
    () => {
      // Often at first, so that every transaction is cut short; then not for a while.
      if (now < dueAt) return false
      dueAt = now + (now < 5000 ? 60 : 3000)
      return true
    },
  )
  for (let batch = 1; batch <= 30; batch += 1) port.postMessage({ type: 'import', batch, drafts: drafts(400) })
  for (let batch = 1; batch <= 30; batch += 1) expect(await answer()).toMatchObject({ batch, added: 400 })
  expect(longest).toBeLessThanOrEqual(350)
  lane.stop()
  port.close()
})

test('a batch that cannot be stored now is refused, and the next one is tried', async () => {
  let isDown = true
  const { lane, port, answer } = makeLane((slice) => {
    if (isDown) throw new AspyError('store_unavailable', 'locked')
    return { added: slice.length, joined: 0, deleted: 0, dropped: 0 }
  })
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(3) })
  expect(await answer()).toMatchObject({ type: 'refused', batch: 1, error: { code: 'store_unavailable' } })
  isDown = false
  port.postMessage({ type: 'import', batch: 2, drafts: drafts(3) })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 2, added: 3 })
  port.postMessage({ type: 'import', batch: 3, drafts: [] })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 3, added: 0 })
  lane.stop()
  port.close()
})

test('a change of previews that takes several steps lets live traffic between them, and is answered once', async () => {
  const { lane, port, order, answer } = makeLane(() => ({ added: 0, joined: 0, deleted: 0, dropped: 0 }))
  port.postMessage({ type: 'import', batch: 1, drafts: [], preview: { end: ['/a', '/b', '/c'] } })
  port.postMessage({ type: 'import', batch: 2, drafts: [], preview: {} })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 1 })
  expect(await answer()).toMatchObject({ type: 'committed', batch: 2 })
  expect(order).toEqual(['live', '3 left', 'live', '2 left', 'live', '1 left', 'live', '0 left'])
  lane.stop()
  port.close()
})

test('if a transaction over several slices fails, its batches are written again without the drafts at fault', async () => {
  const written: string[] = []
  const { lane, port, answer } = makeLane((slice, { staysOpen }) => {
    if (staysOpen && written.length > 0) {
      written.length = 0
      throw new Error('the second slice fails, and the first is undone with it')
    }
    written.push(...slice.map(({ payload }) => (payload as { text: string }).text))
    return { added: slice.length, joined: 0, deleted: 0, dropped: 0 }
  })
  const answers: ToImporter[] = []
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(30) })
  port.postMessage({ type: 'import', batch: 2, drafts: drafts(70) })
  answers.push(await answer(), await answer())
  expect(answers).toEqual([
    { type: 'committed', batch: 1, added: 30, joined: 0, deleted: 0, dropped: 0 },
    { type: 'committed', batch: 2, added: 70, joined: 0, deleted: 0, dropped: 0 },
  ])
  expect(written).toEqual([...drafts(30), ...drafts(70)].map(({ payload }) => (payload as { text: string }).text))
  lane.stop()
  port.close()
})

test('if a commit fails, its drafts are written again before their batches are answered', async () => {
  let isFull = true
  let written = 0
  const { lane, port, answer } = makeLane(
    (slice) => {
      written += slice.length
      return { added: slice.length, joined: 0, deleted: 0, dropped: 0 }
    },
    () => {
      if (!isFull) return
      isFull = false
      throw new AspyError('store_unavailable', 'full')
    },
  )
  port.postMessage({ type: 'import', batch: 1, drafts: drafts(20) })
  expect(await answer()).toEqual({ type: 'committed', batch: 1, added: 20, joined: 0, deleted: 0, dropped: 0 })
  expect(written).toBe(40)
  lane.stop()
  port.close()
})
