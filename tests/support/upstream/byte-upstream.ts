import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** One request as received, and its connection for a byte-by-byte response. */
export interface RawExchange {
  readonly method: string
  readonly path: string
  /** Header lines with their original case and order. */
  readonly headers: readonly (readonly [string, string])[]
  header(name: string): string | undefined
  /** Reads the next `count` bytes of the body, whatever its framing. Rejects if the connection ends first. */
  readBody(count: number): Promise<Buffer>
  /** Reads the rest of the body, by Content-Length or chunks. */
  readRest(): Promise<Buffer>
  /** Resolves when the bytes have been handed to the system. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Writes one chunk of a chunked body. */
  writeChunk(bytes: string | Uint8Array): Promise<void>
  /** Closes the connection as a dying server does. */
  cut(): void
  /** Resets the connection (RST). */
  reset(): void
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>
  readonly socket: Socket
}

export interface ByteUpstream {
  readonly url: URL
  readonly port: number
  /** Requests seen so far. */
  requests(): number
  close(): Promise<void>
}

/**
 * An upstream that parses HTTP only enough to find the end of a request's head and body. The test writes its response byte for
 * byte. `serve` runs once per request; the next one on the same connection waits for it.
 */
export async function createByteUpstream(serve: (exchange: RawExchange) => Promise<void>): Promise<ByteUpstream> {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    socket.setNoDelay()
    sockets.add(socket)
    const closed = new Promise<void>((resolve) => {
      socket.on('close', () => {
        sockets.delete(socket)
        resolve()
      })
    })
    socket.on('error', () => socket.destroy())
    void (async () => {
      const reader = new ByteReader(socket)
      for (;;) {
        const head = await reader.until('\r\n\r\n')
        requests += 1
        await serve(exchangeOf(head.toString('latin1'), reader, socket, closed))
      }
      // The loop ends with its connection or if `serve` throws; then the client is cut off and the test fails.
    })().catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    port,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function exchangeOf(head: string, reader: ByteReader, socket: Socket, closed: Promise<void>): RawExchange {
  const [requestLine = '', ...lines] = head.trimEnd().split('\r\n')
  const [method = '', path = ''] = requestLine.split(' ')
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const body =
    header('transfer-encoding') === 'chunked'
      ? new ChunkedBody(reader)
      : new SizedBody(reader, Number(header('content-length') ?? 0))
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  return {
    method,
    path,
    headers,
    header,
    readBody: (count) => body.read(count),
    readRest: () => body.rest(),
    write,
    writeChunk: (bytes) => {
      const data = Buffer.from(bytes)
      return write(Buffer.concat([Buffer.from(`${data.byteLength.toString(16)}\r\n`), data, Buffer.from('\r\n')]))
    },
    cut: () => socket.end(() => socket.destroy()),
    reset: () => socket.resetAndDestroy(),
    closed,
    socket,
  }
}

/** Reads a socket by byte count or up to a delimiter, and no faster. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  async until(mark: string): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      if (at >= 0) return this.#take(at + mark.length)
      await this.#more()
    }
  }

  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = count
    while (missing > 0) {
      if (this.#held.byteLength === 0) await this.#more()
      const part = this.#take(Math.min(missing, this.#held.byteLength))
      missing -= part.byteLength
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  #take(count: number): Buffer {
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next()
    if (next.done === true) throw new Error('the connection ended')
    this.#held = this.#held.byteLength === 0 ? next.value : Buffer.concat([this.#held, next.value])
  }
}

class SizedBody {
  readonly #reader: ByteReader
  #left: number

  constructor(reader: ByteReader, length: number) {
    this.#reader = reader
    this.#left = length
  }

  async read(count: number): Promise<Buffer> {
    const bytes = await this.#reader.exactly(Math.min(count, this.#left))
    this.#left -= bytes.byteLength
    return bytes
  }

  rest(): Promise<Buffer> {
    return this.read(this.#left)
  }
}

class ChunkedBody {
  readonly #reader: ByteReader
  #leftInChunk = 0
  #isFirst = true
  #isDone = false

  constructor(reader: ByteReader) {
    this.#reader = reader
  }

  async read(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = count
    while (missing > 0 && !this.#isDone) {
      if (this.#leftInChunk === 0) await this.#nextChunk()
      if (this.#isDone) break
      const part = await this.#reader.exactly(Math.min(missing, this.#leftInChunk))
      this.#leftInChunk -= part.byteLength
      missing -= part.byteLength
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  rest(): Promise<Buffer> {
    return this.read(Number.POSITIVE_INFINITY)
  }

  async #nextChunk(): Promise<void> {
    // The previous chunk's trailing CRLF may arrive only now, since its bytes are returned without waiting for it.
    if (!this.#isFirst) await this.#reader.exactly(2)
    this.#isFirst = false
    const line = await this.#reader.until('\r\n')
    this.#leftInChunk = Number.parseInt(line.toString('latin1'), 16)
    if (this.#leftInChunk > 0) return
    await this.#reader.until('\r\n')
    this.#isDone = true
  }
}
