import { expect, onTestFinished, test, vi } from 'vitest'
import { sseResponse } from './sse.ts'

test('while nothing happens, a stream shows that it is alive', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const over = new AbortController()
  async function* silent() {
    await new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()))
    yield* []
  }
  const { body, headers } = sseResponse(silent(), { abort: new AbortController(), heartbeatMs: 1000 })
  expect(headers.get('content-type')).toContain('text/event-stream')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe(': open\n\n')
  vi.advanceTimersByTime(1000)
  over.abort()
  expect(await read()).toBe(': alive\n\n')
  expect(await read()).toBe('event: end\ndata:\n\n')
})

test('a reader that leaves aborts what the stream waits for', async () => {
  const abort = new AbortController()
  async function* waiting() {
    await new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()))
    yield* []
  }
  const { body } = sseResponse(waiting(), { abort, heartbeatMs: 60_000 })
  await body?.cancel()
  expect(abort.signal.aborted).toBe(true)
})
