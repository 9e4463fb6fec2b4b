import { toErrorAnswer } from '../../../shared/contract/errors.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * A stream of batches as server-sent events: `data` is a batch's JSON, `id` the last log id in it; `event: end` closes a
 * stream that came to its end, `event: error` one that failed. The next batch is asked for only when the socket has
 * taken the one before it: a slow reader slows its own stream, and what it misses is the stream's own affair.
 */
export function sseResponse(
  batches: AsyncIterable<Uint8Array>,
  { abort, heartbeatMs }: { readonly abort: AbortController; readonly heartbeatMs: number },
): Response {
  const iterator = batches[Symbol.asyncIterator]()
  let heartbeat: NodeJS.Timeout | undefined
  let hasLeft = false

  async function nextFrame(): Promise<{ frame: string; isLast: boolean }> {
    try {
      const next = await iterator.next()
      if (next.done === true) return { frame: 'event: end\ndata:\n\n', isLast: true }
      return { frame: batchFrame(decoder.decode(next.value)), isLast: false }
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
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies between us and a page must not hold events back.
      'x-accel-buffering': 'no',
    },
  })
}

function batchFrame(json: string): string {
  const id = lastLogId(json)
  const data = `data: ${json}\n\n`
  return id === null ? data : `id: ${id}\n${data}`
}

/** The log id that a reader can resume from: that of the last event in the batch, where a batch has events. */
function lastLogId(json: string): number | null {
  // A page of a replay is large, and no batch of the feed: it is not parsed here.
  if (!json.startsWith('{"events":')) return null
  const batch: unknown = JSON.parse(json)
  if (typeof batch !== 'object' || batch === null || !('events' in batch) || !Array.isArray(batch.events)) return null
  const last: unknown = batch.events.at(-1)
  return typeof last === 'object' && last !== null && 'id' in last && typeof last.id === 'number' ? last.id : null
}
