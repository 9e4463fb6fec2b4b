import { parentPort, workerData } from 'node:worker_threads'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import type { TapParcel } from '../../../src/main/proxy/protocol/tap-protocol.ts'

/** A recorder that stores nothing. It reads its input and, unless its data is false, acknowledges finished exchanges. */
let seenBytes = 0
parentPort?.on('message', (parcels: readonly TapParcel[]) => {
  const ended: string[] = []
  for (const message of parcels.flatMap(messagesOf)) {
    if ('bytes' in message) seenBytes += message.bytes.byteLength
    if (message.type === 'end') ended.push(message.exchange)
  }
  if (ended.length > 0 && workerData === true) {
    parentPort?.postMessage({ type: 'acknowledge', exchanges: ended, seenBytes })
  }
})
