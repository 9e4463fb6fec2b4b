import type { MessagePort } from 'node:worker_threads'
import { fromErrorAnswer } from '../../shared/contract/errors.ts'
import type { ImportBatch, ToImporter } from '../recorder/protocol.ts'

/** Batches that may be unanswered at once: the importer's credit, which limits the waiting data in the recorder. */
const CREDIT = 4

type Committed = Extract<ToImporter, { readonly type: 'committed' }>
interface Unanswered {
  readonly message: ImportBatch
  resolve(answer: Committed): void
  reject(error: Error): void
}

/** The importer's end of its connection to the recorder. */
export interface BatchSender {
  /** Waits until there is credit, then sends; `answered` settles when the recorder committed the batch or refused it. */
  send(batch: Omit<ImportBatch, 'type' | 'batch'>): Promise<{ readonly answered: Promise<Committed> }>
  /** Connects to a new recorder and sends unanswered batches again; those that were committed add nothing. */
  connect(port: MessagePort): void
  /** False while no recorder is connected: sent batches may never be answered. */
  isConnected(): boolean
}

/** `onLost` is called when the recorder at the other end has exited. */
export function createBatchSender(onLost: () => void): BatchSender {
  const unanswered = new Map<number, Unanswered>()
  const waiting: (() => void)[] = []
  let port: MessagePort | null = null
  let last = 0

  function receive(answer: ToImporter): void {
    const batch = unanswered.get(answer.batch)
    if (!batch) return
    unanswered.delete(answer.batch)
    waiting.shift()?.()
    if (answer.type === 'committed') batch.resolve(answer)
    else batch.reject(fromErrorAnswer(answer.error))
  }

  return {
    async send(batch) {
      while (unanswered.size >= CREDIT) await new Promise<void>((resolve) => waiting.push(resolve))
      const message: ImportBatch = { type: 'import', batch: ++last, ...batch }
      const answered = new Promise<Committed>((resolve, reject) => {
        unanswered.set(message.batch, { message, resolve, reject })
      })
      port?.postMessage(message)
      return { answered }
    },
    isConnected: () => port !== null,
    connect(next) {
      port = next
      next.on('message', receive)
      next.on('close', () => {
        if (port !== next) return
        port = null
        onLost()
      })
      for (const { message } of unanswered.values()) next.postMessage(message)
    },
  }
}
