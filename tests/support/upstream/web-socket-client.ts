import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'

/** Asks for a WebSocket, and returns the status of the answer. */
export function upgradeStatus(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { ...UPGRADE, ...headers } })
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    asked.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** The client's end of a WebSocket with compression, written for the tests alone. */
export interface WebSocketClient {
  send(message: object): void
  /** Sends a message, and returns the id of the response once it is complete. */
  ask(message: object): Promise<string>
  /** All text received since the connection opened or was last asked. */
  text(): string
  sendRaw(bytes: Buffer): void
  close(): void
  destroy(): void
  readonly closed: Promise<void>
}

/** Opens a WebSocket. Messages to the upstream are packed if the upstream agrees. */
export async function openWebSocket(url: string, headers: Readonly<Record<string, string>>): Promise<WebSocketClient> {
  const { socket, isPacked } = await new Promise<{ socket: Duplex; isPacked: boolean }>((resolve, reject) => {
    const asked = request(url, {
      headers: { ...UPGRADE, 'sec-websocket-extensions': 'permessage-deflate', ...headers },
    })
    asked.on('upgrade', (response, opened) => {
      resolve({ socket: opened, isPacked: response.headers['sec-websocket-extensions'] !== undefined })
    })
    asked.on('response', (response) => reject(new Error(`no WebSocket: ${response.statusCode ?? 0}`)))
    asked.on('error', reject)
    asked.end()
  })
  const deflate = isPacked ? createDeflateRaw() : null
  const inflate = isPacked ? createInflateRaw() : null
  let text = ''
  inflate?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const short = (held[1] ?? 0) & 0x7f
      const head = short === 126 ? 4 : short === 127 ? 10 : 2
      if (held.length < head) return
      const length = short === 126 ? held.readUInt16BE(2) : short === 127 ? Number(held.readBigUInt64BE(2)) : short
      if (held.length < head + length) return
      const payload = held.subarray(head, head + length)
      const first = held[0] ?? 0
      held = held.subarray(head + length)
      if ((first & 0x0f) > 2) continue
      if (inflate === null) text += payload.toString()
      else if ((first & 0x40) === 0 && (first & 0x0f) !== 0) text += payload.toString()
      else inflate.write((first & 0x80) === 0 ? payload : Buffer.concat([payload, Buffer.from([0, 0, 0xff, 0xff])]))
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const send = (message: object): void => {
    const plain = Buffer.from(JSON.stringify(message))
    if (deflate === null) return void socket.write(maskedFrame(0x81, plain))
    const out: Buffer[] = []
    const take = (chunk: Buffer) => out.push(chunk)
    deflate.on('data', take)
    deflate.write(plain)
    deflate.flush(constants.Z_SYNC_FLUSH, () => {
      deflate.off('data', take)
      socket.write(maskedFrame(0xc1, Buffer.concat(out).subarray(0, -4)))
    })
  }
  return {
    send,
    async ask(message) {
      text = ''
      send(message)
      for (;;) {
        const found = /"type":"response\.completed","response":\{"id":"([^"]+)"/.exec(text)
        if (found !== null) return found[1] ?? ''
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    text: () => text,
    sendRaw: (bytes) => void socket.write(bytes),
    close: () => void socket.write(maskedFrame(0x88, Buffer.from([3, 232]))),
    destroy: () => void socket.destroy(),
    closed,
  }
}

function maskedFrame(first: number, payload: Buffer): Buffer {
  const mask = Buffer.from([7, 11, 13, 17])
  const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0)))
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, masked])
  const head = Buffer.alloc(length > 0xffff ? 10 : 4)
  head[0] = first
  head[1] = length > 0xffff ? 0xff : 0xfe
  if (length > 0xffff) head.writeBigUInt64BE(BigInt(length), 2)
  else head.writeUInt16BE(length, 2)
  return Buffer.concat([head, mask, masked])
}
