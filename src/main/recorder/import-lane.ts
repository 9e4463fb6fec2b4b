import type { MessagePort } from 'node:worker_threads'
import { AspyError, toErrorAnswer } from '../../shared/contract/errors.ts'
import type { AnyDraft } from '../decode/draft.ts'
import type { ImportBatch, ImportCheckpoint, ToImporter } from './protocol.ts'

/** A slice may take 50 ms at most; this leaves room for a slow one. */
const SLICE_TARGET_MS = 40
const FIRST_SLICE = 50
const LARGEST_SLICE = 500
/** Between two looks at whether the disk has kept up. */
const BEHIND_MS = 10

/** What became of some imported drafts. */
export interface ImportWritten {
  readonly added: number
  readonly joined: number
  readonly dropped: number
}

/** What is written along with a slice, and who is told. */
export interface ImportKept {
  readonly checkpoints: readonly ImportCheckpoint[]
  readonly isLive: boolean
}

interface WaitingBatch {
  readonly port: MessagePort
  readonly message: ImportBatch
  next: number
  added: number
  joined: number
  dropped: number
}

/** The slow lane: imported drafts are written a slice at a time, and live traffic goes first between two slices. */
export interface ImportLane {
  connect(port: MessagePort): void
  stop(): void
}

export interface ImportLaneOptions {
  /** Commits what waits in the live lane. */
  liveFirst(): void
  /** More should not be written yet. */
  isBehind(): boolean
  /** Writes a slice in one transaction. Throws `store_unavailable` where there is no store: imports are not spooled. */
  write(drafts: readonly AnyDraft[], kept: ImportKept): ImportWritten
  onRedacted(counts: { readonly [rule: string]: number }, timeouts: number): void
  onUnknownFields(counts: { readonly [what: string]: number }): void
}

/** Waiting batches are bounded by the importers' credit: each is answered when all of it is committed. */
export function createImportLane(options: ImportLaneOptions): ImportLane {
  const { liveFirst, isBehind, write, onRedacted, onUnknownFields } = options
  const batches: WaitingBatch[] = []
  const ports = new Set<MessagePort>()
  let scheduled: NodeJS.Immediate | null = null
  let later: NodeJS.Timeout | null = null
  let sliceSize = FIRST_SLICE

  function answer(port: MessagePort, message: ToImporter): void {
    port.postMessage(message)
  }

  function runSlice(): void {
    scheduled = null
    liveFirst()
    const batch = batches[0]
    if (!batch) return
    if (isBehind()) return wait()
    const { drafts } = batch.message
    const slice = drafts.slice(batch.next, batch.next + sliceSize)
    const start = performance.now()
    try {
      // Kept with the last of its drafts: a batch that is cut short is read again.
      const isLast = batch.next + slice.length >= drafts.length
      const written = write(slice, {
        checkpoints: isLast ? (batch.message.checkpoints ?? []) : [],
        isLive: batch.message.isLive ?? false,
      })
      batch.added += written.added
      batch.joined += written.joined
      batch.dropped += written.dropped
      batch.next += slice.length
    } catch (error) {
      batches.shift()
      answer(batch.port, { type: 'refused', batch: batch.message.batch, error: toErrorAnswer(error) })
      return schedule()
    }
    adapt(performance.now() - start, slice.length)
    if (batch.next >= drafts.length) {
      batches.shift()
      const { added, joined, dropped } = batch
      answer(batch.port, { type: 'committed', batch: batch.message.batch, added, joined, dropped })
    }
    schedule()
  }

  function adapt(tookMs: number, written: number): void {
    if (written < sliceSize && tookMs < SLICE_TARGET_MS) return
    const fitting = Math.round((written * SLICE_TARGET_MS) / Math.max(tookMs, 0.1))
    sliceSize = Math.max(1, Math.min(LARGEST_SLICE, fitting, sliceSize * 2))
  }

  function schedule(): void {
    // After each slice the thread hears its other messages first.
    if (batches.length > 0 && later === null) scheduled ??= setImmediate(runSlice)
  }

  function wait(): void {
    later ??= setTimeout(() => {
      later = null
      schedule()
    }, BEHIND_MS)
  }

  return {
    connect(port) {
      ports.add(port)
      port.on('message', (message: ImportBatch) => {
        if (message.redacted) onRedacted(message.redacted, message.redaction_timeouts ?? 0)
        if (message.unknown_fields) onUnknownFields(message.unknown_fields)
        batches.push({ port, message, next: 0, added: 0, joined: 0, dropped: 0 })
        schedule()
      })
      port.on('close', () => ports.delete(port))
    },
    stop() {
      if (scheduled !== null) clearImmediate(scheduled)
      if (later !== null) clearTimeout(later)
      const error = toErrorAnswer(new AspyError('store_unavailable', 'the recorder is being stopped'))
      for (const { port, message } of batches.splice(0)) answer(port, { type: 'refused', batch: message.batch, error })
      for (const port of ports) port.close()
    },
  }
}
