import { expect, test } from 'vitest'
import type { StreamMessage } from '../../../shared/bridge.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { createIpcSurface, type IpcDispatch } from './ipc-surface.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

function dispatchOf(stream: IpcDispatch['stream']): IpcDispatch {
  return {
    stream,
    call: async (name, input) => {
      if (name === 'known') return bytes({ name, input })
      throw new AspyError('not_found', `no operation is called ${name}`)
    },
  }
}

test('a value crosses as JSON text, an error with its code; a name that is not a string is refused', async () => {
  const surface = createIpcSurface(
    dispatchOf(async function* () {}),
    () => {},
  )
  expect(await surface.call('known', { a: 1 })).toEqual({ ok: true, json: '{"name":"known","input":{"a":1}}' })
  expect(await surface.call('other', {})).toEqual({
    ok: false,
    error: { code: 'not_found', message: 'no operation is called other' },
  })
  expect(await surface.call({ evil: true }, {})).toMatchObject({ ok: false, error: { code: 'bad_input' } })
})

test('a stream sends its batches in order and says when it ends, and why', async () => {
  const sent: StreamMessage[] = []
  const surface = createIpcSurface(
    dispatchOf(async function* (name) {
      yield { json: bytes(1) }
      yield { json: bytes(2) }
      if (name === 'broken') throw new AspyError('gone', 'it went away')
    }),
    (message) => sent.push(message),
  )
  surface.subscribe(1, 'fine', {})
  await expect.poll(() => sent.length).toBe(3)
  surface.subscribe(2, 'broken', {})
  await expect.poll(() => sent.length).toBe(6)
  expect(sent).toEqual([
    { stream: 1, type: 'batch', json: '1' },
    { stream: 1, type: 'batch', json: '2' },
    { stream: 1, type: 'end', error: null },
    { stream: 2, type: 'batch', json: '1' },
    { stream: 2, type: 'batch', json: '2' },
    { stream: 2, type: 'end', error: { code: 'gone', message: 'it went away' } },
  ])
})

test('a window that closes ends its streams, and one in a loop gets a bounded number', async () => {
  const signals: AbortSignal[] = []
  const sent: StreamMessage[] = []
  const surface = createIpcSurface(
    dispatchOf(async function* (_name, _input, _context, signal) {
      signals.push(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { json: bytes('too late') }
    }),
    (message) => sent.push(message),
  )
  for (let stream = 0; stream < 40; stream += 1) surface.subscribe(stream, 'endless', {})
  await expect.poll(() => signals.length).toBe(32)
  expect(sent.filter((message) => message.type === 'end')).toHaveLength(8)
  surface.unsubscribe(0)
  expect(signals.filter((signal) => signal.aborted)).toHaveLength(1)
  surface.dispose()
  expect(signals.every((signal) => signal.aborted)).toBe(true)
  await new Promise(setImmediate)
  expect(sent.some((message) => message.type === 'batch')).toBe(false)
})
