import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The response that a request asks for. Encoded in the model's name, which every peer forwards. */
export interface BenchAnswer {
  /** Number of chunks in an event stream; 0 for a plain response. */
  readonly chunks: number
  /** Milliseconds between two chunks. */
  readonly gapMs: number
  /** Size of a plain response. */
  readonly bytes: number
}

export interface BenchUpstream {
  readonly url: string
  close(): Promise<void>
}

/** Builds a Messages request with a body of about `bytes` bytes. */
export function benchRequest(bytes: number, answer: BenchAnswer): Buffer {
  const { chunks, gapMs, bytes: answerBytes } = answer
  const body = {
    model: `bench-${chunks}-${gapMs}-${answerBytes}`,
    max_tokens: 1000,
    stream: chunks > 0,
    messages: [{ role: 'user', content: 'p'.repeat(Math.max(1, bytes - 150)) }],
  }
  return Buffer.from(JSON.stringify(body))
}

/** Responds as `benchRequest` asks. Each text delta contains the time it was sent: `"text":"at 1234.5678 …"`. */
export async function startBenchUpstream(): Promise<BenchUpstream> {
  const server = createServer((request, response) => {
    let head = ''
    request.on('data', (chunk: Buffer) => {
      if (head.length < 200) head += chunk.toString('latin1', 0, 200)
    })
    request.on('end', () => {
      const [, chunks, gapMs, bytes] = /"model":"bench-(\d+)-(\d+)-(\d+)"/.exec(head) ?? []
      const answer = { chunks: Number(chunks ?? 0), gapMs: Number(gapMs ?? 0), bytes: Number(bytes ?? 500) }
      if (answer.chunks === 0) answerPlain(response, answer.bytes)
      else answerStream(response, answer)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const USAGE = '"usage":{"input_tokens":10,"output_tokens":1}'
const MESSAGE = `"id":"msg_bench","type":"message","role":"assistant","model":"bench",${USAGE}`

function answerPlain(response: ServerResponse<IncomingMessage>, bytes: number): void {
  const begin = `{${MESSAGE},"stop_reason":"end_turn","content":[{"type":"text","text":"`
  const body = `${begin}${'x'.repeat(Math.max(0, bytes - begin.length - 4))}"}]}`
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function answerStream(response: ServerResponse<IncomingMessage>, { chunks, gapMs }: BenchAnswer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(
    `event: message_start\ndata: {"type":"message_start","message":{${MESSAGE},"content":[],"stop_reason":null}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`,
  )
  let left = chunks
  const send = () => {
    const text = `at ${performance.now().toFixed(4)} ${'word '.repeat(12)}`
    response.write(
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}\n\n`,
    )
    left -= 1
    if (left > 0) return
    if (timer !== null) clearInterval(timer)
    response.end(
      `event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":${chunks}}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
    )
  }
  const timer = gapMs > 0 ? setInterval(send, gapMs) : null
  if (timer === null) for (let sent = 0; sent < chunks; sent += 1) send()
}
