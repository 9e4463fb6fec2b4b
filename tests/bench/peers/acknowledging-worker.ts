import { parentPort } from 'node:worker_threads'
import type { TapMessage } from '../../../src/main/proxy/tap-protocol.ts'

/** A recorder that stores nothing: it touches what it gets, and acknowledges what has ended. */
let seenBytes = 0
parentPort?.on('message', (messages: readonly TapMessage[]) => {
  for (const message of messages) {
    if ('bytes' in message) seenBytes += message.bytes.byteLength
    if (message.type === 'end') parentPort?.postMessage({ type: 'acknowledge', exchange: message.exchange, seenBytes })
  }
})
