import { toErrorAnswer } from '../../../shared/contract/errors.ts'
import type { StreamBatch } from '../../dispatch/dispatch.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Sends a stream of batches as server-sent events: `data` is the JSON of a batch, `id` the position to resume from.
 * `event: end` closes a finished stream, `event: error` a failed one. The next batch is requested only once the socket has
 * taken the last: a slow reader slows only its own stream.
 */
export function sseResponse(
  batches: AsyncIterable<StreamBatch>,
  { abort, heartbeatMs }: { readonly abort: AbortController; readonly heartbeatMs: number },
): Response {
  const iterator = batches[Symbol.asyncIterator]()
  let heartbeat: NodeJS.Timeout | undefined
  let hasLeft = false

  async function nextFrame(): Promise<{ frame: string; isLast: boolean }> {
    try {
      const next = await iterator.next()
      if (next.done === true) return { frame: 'event: end\ndata:\n\n', isLast: true }
      return { frame: batchFrame(next.value), isLast: false }
    } catch (error) {
      return { frame: `event: error\ndata: ${JSON.stringify({ error: toErrorAnswer(error) })}\n\n`, isLast: true }
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(': open\n\n'))
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': alive\n\n'))
        }, heartbeatMs)
        heartbeat.unref()
      },
      async pull(controller) {
        const { frame, isLast } = await nextFrame()
        if (hasLeft) return
        controller.enqueue(encoder.encode(frame))
        if (!isLast) return
        clearInterval(heartbeat)
        controller.close()
      },
      cancel() {
        hasLeft = true
        clearInterval(heartbeat)
        abort.abort()
        // While its reader is slow, the stream waits between two batches, where it does not notice the signal.
        void iterator.return?.().catch(() => undefined)
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies between app and page must not buffer events.
      'x-accel-buffering': 'no',
    },
  })
}

function batchFrame({ json, id }: StreamBatch): string {
  const data = `data: ${decoder.decode(json)}\n\n`
  return id === null ? data : `id: ${id}\n${data}`
}
