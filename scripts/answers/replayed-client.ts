import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { recordedRuns, type RecordedRun } from '../../src/main/decode/fixtures/recorded-runs.ts'
import type { ServedApp } from './served-app.ts'

/** Sends what recorded runs of the real client sent, and answers as the API answered. */

type Exchange = RecordedRun['exchanges'][number]
/** Times from a request to the head of its answer, from there to the body, and to the end. */
const [HEAD_MS, BODY_MS, END_MS] = [2, 3, 9]
/** Headers that belong to one connection. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'content-encoding',
  'host',
  'keep-alive',
  'transfer-encoding',
])

/** An upstream that waits for its answers to be given. */
export interface ReplayedUpstream extends AsyncDisposable {
  readonly url: string
  /** Resolves with the response to the next request. */
  next(): Promise<ServerResponse>
}

export async function startReplayedUpstream(): Promise<ReplayedUpstream> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => server.emit('asked', response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      const [response] = (await once(server, 'asked')) as [ServerResponse]
      return response
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Replays all recorded runs through the app's proxy and hooks, one after the other. */
export async function replayRuns(app: ServedApp, upstream: ReplayedUpstream): Promise<void> {
  let clock = 0
  const moveClock = async (to: number): Promise<void> => {
    clock = Math.max(clock, to)
    await app.setClock(clock)
  }
  const moments = recordedRuns()
    .flatMap(({ run }) => [
      ...run.exchanges.map((exchange) => ({ at: exchange.at, run: () => replayExchange(exchange) })),
      ...run.hooks.map(({ at, body }) => ({ at, run: () => app.call('hooks.post', body) })),
    ])
    .toSorted((one, other) => one.at - other.at)
  for (const moment of moments) {
    await moveClock(moment.at)
    await moment.run()
    await moveClock(clock + 1)
    await app.recorded()
  }

  async function replayExchange({ method, path, headers, body, response: recorded }: Exchange): Promise<void> {
    const asked = upstream.next()
    const answered = fetch(`${app.proxy}${path}`, {
      method,
      headers: forwarded(headers) as [string, string][],
      body: JSON.stringify(body),
    })
    const response = await asked
    await moveClock(clock + HEAD_MS)
    response.sendDate = false
    response.writeHead(recorded.status, forwarded(recorded.headers).flat()).flushHeaders()
    const reader = (await answered).body?.getReader()
    // The whole body at one time: how much of it the app takes at once depends on the machine.
    await moveClock(clock + BODY_MS)
    const bytes = Buffer.from(recorded.body)
    response.write(bytes)
    await readBytes(reader, bytes.length)
    await moveClock(clock + END_MS)
    if (recorded.cut === true) response.destroy()
    else response.end()
    await readBytes(reader, Number.POSITIVE_INFINITY)
  }
}

const forwarded = (headers: readonly (readonly [string, string])[]) =>
  headers.filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()))

/** Reads this many bytes, or to the end. An answer that was cut ends in an error. */
async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array> | undefined, count: number): Promise<void> {
  if (reader === undefined) return
  for (let left = count; left > 0;) {
    const next = await reader.read().then(
      (read) => read,
      () => null,
    )
    if (next === null || next.done) return
    left -= next.value.byteLength
  }
}
