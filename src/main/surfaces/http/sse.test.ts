import { expect, test } from 'vitest'
import { sseResponse } from './sse.ts'

test('while nothing happens, a stream shows that it is alive', async () => {
  const abort = new AbortController()
  async function* silent() {
    await new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()))
    yield* []
  }
  const { body, headers } = sseResponse(silent(), { abort, heartbeatMs: 1 })
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!text.includes('alive')) text += new TextDecoder().decode((await reader.read()).value)
  expect(text).toMatch(/^: open\n\n: alive\n\n/)
  expect(headers.get('content-type')).toContain('text/event-stream')
  await reader.cancel()
  expect(abort.signal.aborted).toBe(true)
})
