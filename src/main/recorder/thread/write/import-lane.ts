import type { MessagePort } from 'node:worker_threads'
import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { PreparedBatch } from '../../../store/projections/prepared-payloads.ts'
import type { ImportCheckpoint } from '../../../store/log/import-checkpoint.ts'
import type { ImportBatch, ToImporter } from '../../protocol.ts'

/** A slice may take 50 ms at most; this leaves room for a slow one. */
const SLICE_TARGET_MS = 40
const FIRST_SLICE = 50
const LARGEST_SLICE = 500
/** Between two looks at whether the disk has kept up. */
const BEHIND_MS = 10
/** All steps of a commit together: live traffic that comes between two of them waits for the rest. */
const COMMIT_TARGET_MS = 100
/** Drafts in one transaction, to begin with; then as many that neither its commit nor a step of it takes too long. */
const FIRST_COMMIT = 200
const LARGEST_COMMIT = 4000

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
  /** One of several slices of a transaction, which ends with `settle`. */
  readonly staysOpen: boolean
}

interface WaitingBatch {
  readonly port: MessagePort
  readonly message: ImportBatch
  next: number
  added: number
  joined: number
  dropped: number
}

/** A transaction over several slices: as its batches were before it, and those that end in it. */
interface OpenTransaction {
  readonly before: Map<WaitingBatch, Pick<WaitingBatch, 'next' | 'added' | 'joined' | 'dropped'>>
  readonly ended: WaitingBatch[]
  drafts: number
}

/** The slow lane: imported drafts are written a slice at a time, and live traffic goes first between two slices. */
export interface ImportLane {
  connect(port: MessagePort): void
  /** Commits what is open, before others write. */
  settle(): void
  stop(): void
}

export interface ImportLaneOptions {
  /** Commits what waits in the live lane; whether anything did. */
  liveFirst(): boolean
  /** More should not be written yet. */
  isBehind(): boolean
  /** Commits what slices left open, a step at a time. */
  settleInSteps(): Generator<void, void, void>
  /** Writes a slice. Throws `store_unavailable` where there is no store: imports are not spooled. */
  write(drafts: readonly AnyDraft[], kept: ImportKept): ImportWritten
  onRedacted(counts: { readonly [rule: string]: number }, timeouts: number): void
  onUnknownFields(counts: { readonly [what: string]: number }): void
  onPrepared(drafts: readonly AnyDraft[], prepared: PreparedBatch): void
}

/** Waiting batches are bounded by the importers' credit: each is answered when all of it is committed. */
export function createImportLane(options: ImportLaneOptions): ImportLane {
  const { liveFirst, isBehind, write, onRedacted, onUnknownFields, onPrepared } = options
  const batches: WaitingBatch[] = []
  const ports = new Set<MessagePort>()
  let scheduled: NodeJS.Immediate | null = null
  let later: NodeJS.Timeout | null = null
  let sliceSize = FIRST_SLICE
  let commitSize = FIRST_COMMIT
  let open: OpenTransaction | null = null
  /** The commit of the open transaction, once it has begun, its longest step, and all of them. */
  let settling: { readonly steps: Generator<void, void, void>; longestMs: number; wholeMs: number } | null = null
  let hadLive = false
  /** Batches whose common transaction failed: each of their slices has its own, so that only what is wrong is left out. */
  let suspects = 0

  function answer(port: MessagePort, message: ToImporter): void {
    port.postMessage(message)
  }

  function runSlice(): void {
    scheduled = null
    // Live traffic and a slice are two steps; after one of the former, a slice comes next all the same.
    hadLive = liveFirst() && !hadLive
    if (hadLive) return schedule()
    const batch = batches[0]
    if (
      open !== null &&
      (settling !== null || isFull(open) || batch === undefined || batch.message.isLive || isBehind())
    ) {
      settleStep()
      return schedule()
    }
    if (batch === undefined) return
    if (isBehind()) return wait()
    const staysOpen = suspects === 0 && batch.message.isLive !== true
    if (staysOpen) begin(batch)
    const { drafts } = batch.message
    const slice = drafts.slice(batch.next, batch.next + sliceSize)
    const start = performance.now()
    try {
      // Kept with the last of its drafts: a batch that is cut short is read again.
      const isLast = batch.next + slice.length >= drafts.length
      const written = write(slice, {
        checkpoints: isLast ? (batch.message.checkpoints ?? []) : [],
        isLive: batch.message.isLive ?? false,
        staysOpen,
      })
      batch.added += written.added
      batch.joined += written.joined
      batch.dropped += written.dropped
      batch.next += slice.length
    } catch (error) {
      if (staysOpen) return undo()
      batches.shift()
      suspects = Math.max(0, suspects - 1)
      answer(batch.port, { type: 'refused', batch: batch.message.batch, error: toErrorAnswer(error) })
      return schedule()
    }
    sliceSize = fitting(sliceSize, LARGEST_SLICE, (performance.now() - start) / SLICE_TARGET_MS, slice.length)
    if (open !== null) open.drafts += slice.length
    if (batch.next >= drafts.length) {
      batches.shift()
      suspects = Math.max(0, suspects - 1)
      if (open === null) answerCommitted(batch)
      else open.ended.push(batch)
    }
    schedule()
  }

  function begin(batch: WaitingBatch): void {
    open ??= { before: new Map(), ended: [], drafts: 0 }
    const { next, added, joined, dropped } = batch
    if (!open.before.has(batch)) open.before.set(batch, { next, added, joined, dropped })
  }

  const isFull = ({ drafts }: OpenTransaction) => drafts >= commitSize || suspects > 0

  function settle(): void {
    while (open !== null) settleStep()
  }

  /** A step of the commit, which takes its time like a slice. */
  function settleStep(): void {
    const settled = open
    if (settled === null) return
    settling ??= { steps: options.settleInSteps(), longestMs: 0, wholeMs: 0 }
    const start = performance.now()
    try {
      const { done } = settling.steps.next()
      const tookMs = performance.now() - start
      settling.longestMs = Math.max(settling.longestMs, tookMs)
      settling.wholeMs += tookMs
      if (done !== true) return
    } catch {
      // Told once more, a slice at a time: what is wrong then is answered for.
      return undo()
    }
    const share = Math.max(settling.longestMs / SLICE_TARGET_MS, settling.wholeMs / COMMIT_TARGET_MS)
    commitSize = fitting(commitSize, LARGEST_COMMIT, share, settled.drafts)
    open = null
    settling = null
    settled.ended.forEach(answerCommitted)
  }

  /** All slices of the transaction are undone: its batches are as they were before it. */
  function undo(): void {
    if (open === null) return
    for (const [batch, before] of open.before) Object.assign(batch, before)
    batches.unshift(...open.ended)
    suspects = open.before.size
    open = null
    settling = null
    schedule()
  }

  function answerCommitted({ port, message, added, joined, dropped }: WaitingBatch): void {
    answer(port, { type: 'committed', batch: message.batch, added, joined, dropped })
  }

  function schedule(): void {
    // After each slice the thread hears its other messages first.
    if ((batches.length > 0 || open !== null) && later === null) scheduled ??= setImmediate(runSlice)
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
        if (message.prepared) onPrepared(message.drafts, message.prepared)
        batches.push({ port, message, next: 0, added: 0, joined: 0, dropped: 0 })
        schedule()
      })
      port.on('close', () => ports.delete(port))
    },
    settle,
    stop() {
      settle()
      if (scheduled !== null) clearImmediate(scheduled)
      if (later !== null) clearTimeout(later)
      const error = toErrorAnswer(new AspyError('store_unavailable', 'the recorder is being stopped'))
      for (const { port, message } of batches.splice(0)) answer(port, { type: 'refused', batch: message.batch, error })
      for (const port of ports) port.close()
    },
  }
}

/** How many drafts fit into the time for them, by those that were just written, which took such a share of it. */
function fitting(size: number, most: number, share: number, written: number): number {
  if (written < size && share < 1) return size
  return Math.max(1, Math.min(most, Math.round(written / Math.max(share, 0.01)), size * 2))
}
