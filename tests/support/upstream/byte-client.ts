import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'

/** A response as the client saw it. */
export interface SeenAnswer {
  readonly status: number
  readonly reason: string
  /** Flat, as on the wire, without connection headers (Connection, Keep-Alive, Transfer-Encoding). */
  readonly headers: readonly string[]
  readonly trailers: readonly string[]
  readonly body: Buffer
  /** Why the response was cut off; null if it is complete. */
  readonly failure: string | null
}

const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Opens a request on a new connection. The caller writes its body, if any. */
export function openRequest(port: number, options: RequestOptions = {}): ClientRequest {
  const outgoing = request({ host: '127.0.0.1', port, agent: false, ...options })
  // `answerTo` or the response reports errors. Later ones may come from the test closing the connection.
  outgoing.on('error', () => outgoing.destroy())
  return outgoing
}

/** Sends a request and reads the whole response. */
export async function send(
  port: number,
  options: RequestOptions = {},
  body?: string | Uint8Array,
): Promise<SeenAnswer> {
  const outgoing = openRequest(port, options)
  outgoing.end(body)
  return readAnswer(outgoing)
}

/** Exchanges that complete one after another: by then, what is not held back has arrived. */
const OTHERS = 20

/** Lets some other requests, to `/other`, reach the upstream and be answered with 200. */
export async function passOthers(port: number): Promise<void> {
  for (let other = 0; other < OTHERS; other += 1) {
    const { status } = await send(port, { path: '/other' })
    if (status !== 200) throw new Error(`another exchange was answered with ${status}`)
  }
}

export async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return answer
}

export async function readAnswer(outgoing: ClientRequest): Promise<SeenAnswer> {
  return readWhole(await answerTo(outgoing))
}

export async function readWhole(answer: IncomingMessage): Promise<SeenAnswer> {
  const parts: Buffer[] = []
  let failure: string | null = null
  try {
    for await (const part of answer) parts.push(part as Buffer)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  const headers = answer.rawHeaders.filter((_, index) => {
    const name = answer.rawHeaders[index - (index % 2)] ?? ''
    return !OF_THE_CONNECTION.has(name.toLowerCase())
  })
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? '',
    headers,
    trailers: answer.rawTrailers,
    body: Buffer.concat(parts),
    failure,
  }
}

/** Waits for the next `count` bytes of the response and returns them. */
export async function readBytes(answer: IncomingMessage, count: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let have = 0
  while (have < count) {
    const part = answer.read(Math.min(count - have, answer.readableLength) || undefined) as Buffer | null
    if (part === null) {
      await once(answer, 'readable')
      continue
    }
    parts.push(part)
    have += part.byteLength
  }
  return Buffer.concat(parts)
}
