import type { MessagePort } from 'node:worker_threads'
import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { PreparedBatch } from '../../../store/projections/prepared-payloads.ts'
import type { ImportedSession } from '../../../store/delete/forget-imported.ts'
import type { PreviewChange } from '../../../store/preview/previewed-file.ts'
import type { ImportCheckpoint } from '../../../store/log/import-checkpoint.ts'
import type { ImportBatch, ToImporter } from '../../protocol.ts'
import { fitting } from './fitting.ts'

/** Drafts differ, so one slice in twenty takes half as long again, and the slowest twice as long. */
const SLICE_TARGET_MS = 30
const FIRST_SLICE = 50
const LARGEST_SLICE = 500
/** The pause between two checks whether the disk has kept up. */
const BEHIND_MS = 10
/** Bounds all steps of a commit together, since live traffic that arrives between two steps waits for the rest. */
const COMMIT_TARGET_MS = 60
/** Drafts in the first transaction; later ones are sized so that neither the commit nor a step of it takes too long. */
const FIRST_COMMIT = 200
const LARGEST_COMMIT = 4000

/** Counts imported drafts by outcome. */
export interface ImportWritten {
  readonly added: number
  readonly joined: number
  /** Left out, because their session was deleted. */
  readonly deleted: number
  readonly dropped: number
}

/** Data that is written together with a slice. */
export interface ImportSlice {
  readonly checkpoints: readonly ImportCheckpoint[]
  /** The drafts are news: the live feed shows them. */
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
  deleted: number
  dropped: number
}

/** A transaction over several slices: its batches in their state before it, and those that end in it. */
interface OpenTransaction {
  readonly before: Map<WaitingBatch, Pick<WaitingBatch, 'next' | 'added' | 'joined' | 'deleted' | 'dropped'>>
  readonly ended: WaitingBatch[]
  drafts: number
}

/** The commit of the open transaction: its longest step, and all steps together. */
interface Settling {
  readonly steps: Generator<void, void, void>
  longestMs: number
  wholeMs: number
}

export interface ImportLaneOptions {
  /** Commits the drafts in the live lane; returns true if anything was committed. */
  liveFirst(): boolean
  /** True if nothing more should be written yet. */
  isBehind(): boolean
  /** True if slices left a transaction open; false again once any other write has committed it. */
  isLeftOpen(): boolean
  /** Commits the transaction that slices left open, in steps. */
  settleInSteps(): Generator<void, void, void>
  /** Writes a slice. Throws `store_unavailable` if there is no store: imports are not spooled. */
  write(drafts: readonly AnyDraft[], slice: ImportSlice): ImportWritten
  /** Removes imported sessions that are read again, in a transaction of its own. */
  forget(sessions: readonly ImportedSession[]): void
  /** Changes previews, in a transaction of its own. Returns false if it must be called again. */
  preview(change: PreviewChange): boolean
  onRedacted(counts: { readonly [rule: string]: number }, timeouts: number): void
  onUnknownFields(counts: { readonly [what: string]: number }): void
  onPrepared(drafts: readonly AnyDraft[], prepared: PreparedBatch): void
}

/**
 * Writes imported drafts a slice at a time; live traffic goes first between two slices. Waiting batches are bounded by the
 * importers' credit: each batch is answered once all of it is committed.
 */
export class ImportLane {
  readonly #options: ImportLaneOptions
  readonly #batches: WaitingBatch[] = []
  readonly #ports = new Set<MessagePort>()
  #scheduled: NodeJS.Immediate | null = null
  #later: NodeJS.Timeout | null = null
  #sliceSize = FIRST_SLICE
  #commitSize = FIRST_COMMIT
  #open: OpenTransaction | null = null
  /** Set once the commit of the open transaction has begun. */
  #settling: Settling | null = null
  #hadLive = false
  /** Batches of a failed transaction. Each of their slices gets its own, so that only invalid drafts are left out. */
  #suspects = 0

  constructor(options: ImportLaneOptions) {
    this.#options = options
  }

  connect(port: MessagePort): void {
    const { onRedacted, onUnknownFields, onPrepared } = this.#options
    this.#ports.add(port)
    port.on('message', (message: ImportBatch) => {
      if (message.redacted) onRedacted(message.redacted, message.redaction_timeouts ?? 0)
      if (message.unknown_fields) onUnknownFields(message.unknown_fields)
      if (message.prepared) onPrepared(message.drafts, message.prepared)
      this.#batches.push({ port, message, next: 0, added: 0, joined: 0, deleted: 0, dropped: 0 })
      this.#schedule()
    })
    port.on('close', () => this.#ports.delete(port))
  }

  /** Commits the open transaction before others write. */
  settle(): void {
    while (this.#open !== null) this.#settleStep()
  }

  stop(): void {
    this.settle()
    if (this.#scheduled !== null) clearImmediate(this.#scheduled)
    if (this.#later !== null) clearTimeout(this.#later)
    const error = toErrorAnswer(new AspyError('store_unavailable', 'the recorder is being stopped'))
    for (const { port, message } of this.#batches.splice(0))
      answer(port, { type: 'refused', batch: message.batch, error })
    for (const port of this.#ports) port.close()
  }

  #runTurn(): void {
    this.#scheduled = null
    // Live traffic and slices take turns: after live traffic, a slice comes next in any case.
    this.#hadLive = this.#liveFirst() && !this.#hadLive
    if (this.#hadLive) return this.#schedule()
    const batch = this.#batches[0]
    if (this.#open !== null && this.#mustSettle(this.#open, batch)) {
      this.#settleStep()
      return this.#schedule()
    }
    if (batch === undefined) return
    const { forget, preview } = batch.message
    if (forget !== undefined) return this.#runAlone(batch, () => this.#options.forget(forget))
    if (this.#options.isBehind()) return this.#wait()
    if (preview !== undefined) return this.#runAlone(batch, () => this.#options.preview(preview))
    this.#writeSlice(batch)
  }

  /** Lets live traffic commit the open transaction with its own, which then limits the size of the open transaction. */
  #liveFirst(): boolean {
    const wasLeftOpen = this.#options.isLeftOpen()
    const start = performance.now()
    const hadLive = this.#options.liveFirst()
    if (this.#open === null || !wasLeftOpen || this.#options.isLeftOpen()) return hadLive
    const share = (performance.now() - start) / COMMIT_TARGET_MS
    this.#commitSize = Math.min(this.#commitSize, fitting(this.#commitSize, LARGEST_COMMIT, share, this.#open.drafts))
    return hadLive
  }

  #mustSettle(open: OpenTransaction, next: WaitingBatch | undefined): boolean {
    const isFull = open.drafts >= this.#commitSize || this.#suspects > 0
    return (
      this.#settling !== null ||
      isFull ||
      // Others have committed it: its batches are answered, and the count restarts here.
      !this.#options.isLeftOpen() ||
      next === undefined ||
      next.message.isLive ||
      next.message.forget !== undefined ||
      next.message.preview !== undefined ||
      this.#options.isBehind()
    )
  }

  /** Runs a batch without drafts, which has a transaction of its own. */
  #runAlone(batch: WaitingBatch, work: () => unknown): void {
    try {
      // One of several steps.
      if (work() === false) return this.#schedule()
      answerCommitted(batch)
    } catch (error) {
      answer(batch.port, { type: 'refused', batch: batch.message.batch, error: toErrorAnswer(error) })
    }
    this.#endBatch()
    this.#schedule()
  }

  #writeSlice(batch: WaitingBatch): void {
    const staysOpen = this.#suspects === 0 && batch.message.isLive !== true
    if (staysOpen) this.#begin(batch)
    const { drafts } = batch.message
    const slice = drafts.slice(batch.next, batch.next + this.#sliceSize)
    const start = performance.now()
    try {
      // Checkpoints go with the last draft: a batch that is cut short is read again.
      const isLast = batch.next + slice.length >= drafts.length
      const written = this.#options.write(slice, {
        checkpoints: isLast ? (batch.message.checkpoints ?? []) : [],
        isLive: batch.message.isLive ?? false,
        staysOpen,
      })
      batch.added += written.added
      batch.joined += written.joined
      batch.deleted += written.deleted
      batch.dropped += written.dropped
      batch.next += slice.length
    } catch (error) {
      if (staysOpen) return this.#undo()
      this.#endBatch()
      answer(batch.port, { type: 'refused', batch: batch.message.batch, error: toErrorAnswer(error) })
      return this.#schedule()
    }
    const share = (performance.now() - start) / SLICE_TARGET_MS
    this.#sliceSize = fitting(this.#sliceSize, LARGEST_SLICE, share, slice.length)
    if (this.#open !== null) this.#open.drafts += slice.length
    if (batch.next >= drafts.length) {
      this.#endBatch()
      if (this.#open === null) answerCommitted(batch)
      else this.#open.ended.push(batch)
    }
    this.#schedule()
  }

  #endBatch(): void {
    this.#batches.shift()
    this.#suspects = Math.max(0, this.#suspects - 1)
  }

  #begin(batch: WaitingBatch): void {
    this.#open ??= { before: new Map(), ended: [], drafts: 0 }
    const { next, added, joined, deleted, dropped } = batch
    if (!this.#open.before.has(batch)) this.#open.before.set(batch, { next, added, joined, deleted, dropped })
  }

  /** Runs a step of the commit, which takes about as long as a slice. */
  #settleStep(): void {
    const open = this.#open
    if (open === null) return
    this.#settling ??= { steps: this.#options.settleInSteps(), longestMs: 0, wholeMs: 0 }
    const settling = this.#settling
    const isLeftOpen = this.#options.isLeftOpen()
    const start = performance.now()
    try {
      const { done } = settling.steps.next()
      const tookMs = performance.now() - start
      settling.longestMs = Math.max(settling.longestMs, tookMs)
      settling.wholeMs += tookMs
      if (done !== true) return
    } catch {
      // The batches are written again, a slice at a time, and errors are reported then.
      return this.#undo()
    }
    const share = Math.max(settling.longestMs / SLICE_TARGET_MS, settling.wholeMs / COMMIT_TARGET_MS)
    if (isLeftOpen) this.#commitSize = fitting(this.#commitSize, LARGEST_COMMIT, share, open.drafts)
    this.#open = null
    this.#settling = null
    open.ended.forEach(answerCommitted)
  }

  /** Resets the batches of a transaction that was rolled back. */
  #undo(): void {
    if (this.#open === null) return
    for (const [batch, before] of this.#open.before) Object.assign(batch, before)
    this.#batches.unshift(...this.#open.ended)
    this.#suspects = this.#open.before.size
    this.#open = null
    this.#settling = null
    this.#schedule()
  }

  /** Uses the event loop between two slices, so that the thread hears its other messages. */
  #schedule(): void {
    const isIdle = this.#batches.length === 0 && this.#open === null
    if (!isIdle && this.#later === null) this.#scheduled ??= setImmediate(() => this.#runTurn())
  }

  #wait(): void {
    this.#later ??= setTimeout(() => {
      this.#later = null
      this.#schedule()
    }, BEHIND_MS)
  }
}

function answer(port: MessagePort, message: ToImporter): void {
  port.postMessage(message)
}

function answerCommitted({ port, message, added, joined, deleted, dropped }: WaitingBatch): void {
  answer(port, { type: 'committed', batch: message.batch, added, joined, deleted, dropped })
}
