import { parentPort, workerData } from 'node:worker_threads'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../../../src/main/recorder/protocol.ts'
import { Recorder } from '../../../src/main/recorder/thread/recorder.ts'
import { openVitalSigns } from '../../../src/main/recorder/vital-signs.ts'

/** The recorder's thread, but for what it does to requests named `?deadly`, `?endless`, `?stalled=MS` and `?away=MS`. */
const start = workerData as RecorderStart
const vitalSigns = openVitalSigns(start.vitalSigns)
const log = () => undefined
const send = (message: FromRecorder) => parentPort?.postMessage(message)
setInterval(() => vitalSigns.beat(), 100)
const recorder = new Recorder({
  start,
  hashKey: loadHashKey(start.dataDir),
  vitalSigns,
  logger: { debug: log, info: log, warn: log, error: log },
  send,
})

parentPort?.on('message', (message: ToRecorder) => {
  if (message.type === 'tap') {
    for (const part of message.parcels.flatMap(messagesOf)) {
      if (part.type !== 'open') continue
      const stalledMs = Number(/stalled=(\d+)/.exec(part.path)?.[1] ?? 0)
      const awayMs = Number(/away=(\d+)/.exec(part.path)?.[1] ?? 0)
      if (awayMs > 0) vitalSigns.away(60_000)
      if (stalledMs + awayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stalledMs + awayMs)
      vitalSigns.away(0)
      if (!/deadly|endless/.test(part.path)) continue
      vitalSigns.workOn(part.exchange)
      if (part.path.includes('deadly')) process.exit(1)
      for (;;);
    }
  }
  if (message.type !== 'stop') return recorder.receive(message)
  void recorder.stop().then(() => {
    send({ type: 'stopped' })
    process.exit(0)
  })
})
send({ type: 'ready', mayFollow: true })
