import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { pino } from 'pino'
import { toErrorAnswer } from '../../../shared/contract/errors.ts'
import { loadHashKey } from '../../base/hash-key.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../protocol.ts'
import { Recorder } from './recorder.ts'
import { openVitalSigns } from '../vital-signs.ts'

const BEAT_MS = 250
/** Delay before an unwritable folder is tried again. */
const KEY_RETRY_MS = 2000

const start = workerData as RecorderStart
const vitalSigns = openVitalSigns(start.vitalSigns)
const logger = pino(
  { level: process.env['ASPY_LOG'] ?? 'warn', base: { thread: 'recorder' } },
  pino.destination({ dest: 2, sync: true }),
)
let keyRetry: NodeJS.Timeout | undefined
const send = (message: FromRecorder) => parentPort?.postMessage(message)

/** Returns the folder's key. If the folder is unusable, returns a key for this run, since nothing can be stored. */
function hashKey(): Uint8Array {
  // Recording is off: writes nothing to the disk.
  if (!start.config.lifestats.enabled) return randomBytes(32)
  try {
    return loadHashKey(start.dataDir)
  } catch (error) {
    send({ type: 'fault', error: { code: 'store_unavailable', message: toErrorAnswer(error).message } })
    awaitKey()
    return randomBytes(32)
  }
}

/** Exits once the folder is usable. The host starts a new recorder, which receives what was not acknowledged. */
function awaitKey(): void {
  keyRetry = setInterval(() => {
    try {
      loadHashKey(start.dataDir)
    } catch {
      return
    }
    process.exit(0)
  }, KEY_RETRY_MS)
}

const beat = setInterval(() => vitalSigns.beat(), BEAT_MS)
const recorder = new Recorder({ start, hashKey: hashKey(), vitalSigns, logger, send })

parentPort?.on('message', (message: ToRecorder) => {
  if (message.type === 'die') process.exit(1)
  if (message.type !== 'stop') return recorder.receive(message)
  void recorder.stop().then(() => {
    send({ type: 'stopped' })
    clearInterval(beat)
    clearInterval(keyRetry)
    parentPort?.close()
  })
})
send({ type: 'ready' })
