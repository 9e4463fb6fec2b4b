import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type ErrorAnswer, toErrorAnswer } from '../../../shared/contract/errors.ts'
import { loadHashKey } from '../../base/hash-key.ts'
import { createLogger } from '../../base/log-lines.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../protocol.ts'
import { Recorder } from './recorder.ts'
import { openVitalSigns } from '../vital-signs.ts'

const BEAT_MS = 250
/** Delay before an unwritable folder is tried again. */
const KEY_RETRY_MS = 2000

const start = workerData as RecorderStart
const vitalSigns = openVitalSigns(start.vitalSigns)
const logger = createLogger()
let keyRetry: NodeJS.Timeout | undefined
const send = (message: FromRecorder) => parentPort?.postMessage(message)

/**
 * Returns the folder's key, or why nothing can be stored: the key there is not usable, and no hash made with another would
 * match. If the folder itself is unusable, returns a key for this run, since nothing can be stored.
 */
function hashKey(): Uint8Array | ErrorAnswer {
  // Recording is off: writes nothing to the disk.
  if (!start.config.lifestats.enabled) return randomBytes(32)
  try {
    return loadHashKey(start.dataDir)
  } catch (error) {
    const fault: ErrorAnswer = { code: 'store_unavailable', message: toErrorAnswer(error).message }
    send({ type: 'fault', error: fault })
    awaitKey()
    return existsSync(join(start.dataDir, 'hash.key')) ? fault : randomBytes(32)
  }
}

/** Answers for a recorder without a key. Data that the tap and the hooks hold is sent again to the next one. */
function refuse(message: ToRecorder, error: ErrorAnswer): void {
  if (message.type === 'call') send({ type: 'failure', call: message.call, error })
  if (message.type === 'importer') message.port.close()
}

/** Exits once the folder is usable. The host starts a new recorder, which receives unacknowledged data. */
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
const key = hashKey()
const recorder = key instanceof Uint8Array ? new Recorder({ start, hashKey: key, vitalSigns, logger, send }) : null

parentPort?.on('message', (message: ToRecorder) => {
  if (message.type === 'die') process.exit(1)
  if (message.type !== 'stop') return key instanceof Uint8Array ? recorder?.receive(message) : refuse(message, key)
  void Promise.resolve(recorder?.stop()).then(() => {
    send({ type: 'stopped' })
    clearInterval(beat)
    clearInterval(keyRetry)
    parentPort?.close()
  })
})
send({ type: 'ready', mayFollow: recorder?.mayFollow() ?? true })
