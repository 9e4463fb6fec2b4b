import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { constants, createDeflateRaw, createInflateRaw, type DeflateRaw, type InflateRaw } from 'node:zlib'

/** RFC 6455, section 1.3. */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** RFC 7692, section 7.2.1: the end of a flushed block, which a message leaves out. */
const TAIL = Buffer.from([0, 0, 0xff, 0xff])

/** The server's end of a WebSocket, written for the tests alone: it shares no code with the product. */
export interface WebSocketPeer {
  send(text: string): Promise<void>
  /** Bytes as they are, such as half a frame. */
  sendRaw(bytes: Buffer): void
  close(code?: number): void
  destroy(): void
  readonly closed: Promise<void>
}

export interface PeerOptions {
  /** Answers permessage-deflate with these parameters; undefined refuses it. */
  readonly extension?: string
  /** Splits each message into frames of this many bytes. */
  readonly frameBytes?: number
  onMessage(text: string): void
}

/** Answers an upgrade and speaks until either side closes. */
export function acceptWebSocket(
  socket: Duplex,
  key: string,
  headers: Readonly<Record<string, string>>,
  options: PeerOptions,
): WebSocketPeer {
  const accept = createHash('sha1')
    .update(key + MAGIC)
    .digest('base64')
  const named = { ...headers, ...(options.extension ? { 'sec-websocket-extensions': options.extension } : {}) }
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${lines.join('')}\r\n`,
  )
  const deflate = options.extension ? createDeflateRaw() : null
  const inflate = options.extension ? createInflateRaw() : null
  let queue = Promise.resolve()
  let held: Buffer = Buffer.alloc(0)
  let fragments: Buffer[] = []
  let isPacked = false
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    for (let frame = takeFrame(held); frame !== null; frame = takeFrame(held)) {
      held = frame.rest
      if (frame.opcode === 8) socket.end(Buffer.concat([Buffer.from([0x88, frame.payload.length]), frame.payload]))
      if (frame.opcode === 9) socket.write(Buffer.concat([Buffer.from([0x8a, frame.payload.length]), frame.payload]))
      if (frame.opcode > 2) continue
      if (frame.opcode !== 0) isPacked = frame.packed
      fragments.push(frame.payload)
      if (!frame.isLast) continue
      const payload = Buffer.concat(fragments)
      const packed = isPacked
      fragments = []
      queue = queue.then(async () => {
        const bytes = packed && inflate ? await pump(inflate, Buffer.concat([payload, TAIL])) : payload
        options.onMessage(bytes.toString())
      })
      queue = queue.catch(() => void socket.destroy())
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  let sending = Promise.resolve()
  return {
    closed,
    send(text) {
      sending = sending.then(async () => {
        const plain = Buffer.from(text)
        const payload = deflate ? (await pump(deflate, plain)).subarray(0, -TAIL.length) : plain
        if (!socket.destroyed) socket.write(frames(payload, deflate !== null, options.frameBytes ?? Infinity))
      })
      return sending
    },
    sendRaw: (bytes) => void socket.write(bytes),
    close(code = 1000) {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(code)
      socket.end(Buffer.concat([Buffer.from([0x88, 2]), payload]))
    },
    destroy: () => void socket.destroy(),
  }
}

interface Frame {
  readonly opcode: number
  readonly isLast: boolean
  readonly packed: boolean
  readonly payload: Buffer
  readonly rest: Buffer
}

function takeFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  const header = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0)
  if (bytes.length < header) return null
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const start = header + ((second & 0x80) === 0 ? 0 : 4)
  if (bytes.length < start + length) return null
  const payload = Buffer.from(bytes.subarray(start, start + length))
  if (start > header)
    for (let at = 0; at < length; at += 1) payload[at] = (payload[at] ?? 0) ^ (bytes[header + (at % 4)] ?? 0)
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    packed: (first & 0x40) !== 0,
    payload,
    rest: bytes.subarray(start + length),
  }
}

function frames(payload: Buffer, packed: boolean, frameBytes: number): Buffer {
  const pieces: Buffer[] = []
  for (let from = 0; from === 0 || from < payload.length; from += frameBytes) {
    const part = payload.subarray(from, Math.min(payload.length, from + frameBytes))
    const isLast = from + frameBytes >= payload.length
    const first = (isLast ? 0x80 : 0) | (from === 0 ? (packed ? 0x41 : 1) : 0)
    pieces.push(header(first, part.length), part)
  }
  return Buffer.concat(pieces)
}

function header(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length])
  const long = length > 0xffff
  const bytes = Buffer.alloc(long ? 10 : 4)
  bytes[0] = first
  bytes[1] = long ? 127 : 126
  if (long) bytes.writeBigUInt64BE(BigInt(length), 2)
  else bytes.writeUInt16BE(length, 2)
  return bytes
}

/** Writes to a stream of zlib, and returns its output. */
function pump(stream: DeflateRaw | InflateRaw, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = []
    const take = (chunk: Buffer) => out.push(chunk)
    stream.on('data', take).once('error', reject)
    stream.write(bytes)
    stream.flush(constants.Z_SYNC_FLUSH, () => {
      stream.off('data', take).off('error', reject)
      resolve(Buffer.concat(out))
    })
  })
}
