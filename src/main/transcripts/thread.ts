import { parentPort, workerData } from 'node:worker_threads'
import { toErrorAnswer } from '../../shared/contract/errors.ts'
import { loadHashKey } from '../recorder/hash-key.ts'
import { createRedactor } from '../redaction/create-redactor.ts'
import { createBatchSender } from './batch-sender.ts'
import { findTranscripts } from './find-files.ts'
import { importFiles } from './import-files.ts'
import type { FromImporterThread, ImporterStart, ToImporterThread } from './protocol.ts'

/** Progress is told at most this often. */
const PROGRESS_MS = 200

const { dataDir, config } = workerData as ImporterStart
const say = (message: FromImporterThread) => parentPort?.postMessage(message)
const redactor = createRedactor({ hashKey: loadHashKey(dataDir), enabled: config.redaction.enabled })
const sender = createBatchSender(() => say({ type: 'line_lost' }))
const cancelled = new Set<number>()

async function run(job: number, paths: readonly string[]): Promise<void> {
  let lastTold = -PROGRESS_MS
  try {
    await importFiles({
      found: await findTranscripts(paths),
      redactor,
      sender,
      isCancelled: () => cancelled.has(job),
      onProgress(progress) {
        const now = performance.now()
        if (!progress.done && now - lastTold < PROGRESS_MS) return
        lastTold = now
        say({ type: 'progress', job, progress })
      },
    })
  } catch (error) {
    const { code, message } = toErrorAnswer(error)
    say({ type: 'failed', job, error: { code, message: redactor.text(message) } })
  } finally {
    cancelled.delete(job)
  }
}

parentPort?.on('message', (message: ToImporterThread) => {
  if (message.type === 'recorder') sender.connect(message.port)
  else if (message.type === 'cancel') cancelled.add(message.job)
  else void run(message.job, message.paths)
})
