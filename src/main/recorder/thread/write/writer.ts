import { join, resolve } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { ErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { PipelineOptions } from '../../../pipeline/pipeline.ts'
import type { MeasuresInProgress } from '../../../sinks/measures.ts'
import { SessionLog } from '../../../sinks/recorder/session-log.ts'
import type { Tombstone } from '../../../store/delete/tombstones.ts'
import type { AppendResult } from '../../../store/ingest/ingest.ts'
import type { LeftOutAnswer } from '../../../../shared/left-out-answer.ts'
import { SYSTEM_CLOCK } from '../../../base/clock.ts'
import { followDamage } from '../../../store/database/damage.ts'
import { openStore } from '../../../store/open-store.ts'
import { createPricing, withOwnPrices } from '../../../store/pricing/pricing.ts'
import { createPreparedPayloads } from '../../../store/projections/prepared-payloads.ts'
import { finishSalvage, salvage } from '../../../store/salvage/salvage.ts'
import { setAside } from '../../../store/transfer/set-aside.ts'
import type { LiveBatcher } from '../../live-batcher.ts'
import type { RecorderStart } from '../../protocol.ts'
import type { Tally } from '../../tally.ts'
import { createCommitQueue, type CommitGroup, type CommitQueue } from './commit-queue.ts'
import { createCommits } from './commits.ts'
import { ImportLane } from './import-lane.ts'
import { SpoolingGate } from './store-gate.ts'
import type { StoreGate, StoreGateOptions } from './gate.ts'
import { createUnstoredGate } from './unstored-gate.ts'

export interface WriterOptions {
  readonly start: Pick<RecorderStart, 'dataDir' | 'config' | 'appVersion' | 'isHandedOver' | 'timeOrigin'>
  readonly hashKey: Uint8Array
  readonly live: Pick<LiveBatcher, 'events' | 'corrected'>
  readonly tally: Tally
  readonly measures: Pick<MeasuresInProgress, 'add'>
  readonly logger: PipelineOptions['logger']
  readonly accept: StoreGateOptions['accept']
  /** Removes secrets from an error message. */
  redact(text: string): string
  /** Announces that the thread may be unresponsive for up to `ms`; 0 when that is over. */
  onAway(ms: number): void
  onFault(error: ErrorAnswer): void
  onLeftOut(answers: readonly LeftOutAnswer[]): void
}

export interface WriterListener {
  /** Spooling starts or ends. */
  onState(): void
  /** A write was tried, successfully or not. */
  onWritten(): void
}

/** Writes live and imported drafts to the store, or to the spool, and publishes the stored events. */
export class Writer {
  readonly gate: StoreGate
  /** null: no session logs are written. */
  readonly sessionLog: SessionLog | null
  readonly #options: WriterOptions
  readonly #queue: CommitQueue
  readonly #imports: ImportLane
  readonly #unfollow: () => void
  #tombstones: readonly Tombstone[] = []
  #listener: WriterListener | null = null

  constructor(options: WriterOptions) {
    const { start, tally } = options
    const { config, dataDir } = start
    const prepared = createPreparedPayloads()
    this.#options = options
    this.gate = this.#createGate(prepared)
    this.#unfollow = followDamage(resolve(dataDir, config.lifestats.db_path), (damage) => this.gate.repair(damage))
    this.sessionLog =
      config.session_log.enabled && config.lifestats.enabled
        ? new SessionLog({
            dataDir,
            settings: config.session_log,
            keysOf: (uuid) => this.gate.ask(({ ingest }) => ingest.keysOf(uuid), []),
          })
        : null
    const { commit, writeImported } = this.#createCommits()
    this.#queue = createCommitQueue(commit)
    this.#imports = new ImportLane({
      liveFirst: this.#queue.flush,
      isBehind: () => this.gate.ask(({ ingest }) => ingest.isBehind(), false),
      isLeftOpen: () => this.gate.ask(({ ingest }) => ingest.isLeftOpen(), false),
      settleInSteps: () => this.gate.settleInSteps(),
      write: writeImported,
      forget: (sessions) => this.gate.store().removal.forgetImported(sessions),
      preview: (change) => this.gate.store().ingest.preview(change),
      onUnknownFields: tally.unknownFields,
      onPrepared: prepared.take,
      onRedacted: tally.importerRedacted,
    })
  }

  /** Opens the store, or spools until it can be opened. */
  open(listener: WriterListener): void {
    this.#listener = listener
    this.gate.open()
    listener.onWritten()
  }

  enqueue(group: CommitGroup): void {
    this.#queue.add(group)
  }

  /** Writes queued live drafts at once. */
  flush(): void {
    this.#queue.flush()
  }

  /**
   * Writes queued live drafts and commits an import's open transaction. Returns whether any live drafts were queued.
   */
  liveFirst(): boolean {
    const hadLive = this.#queue.flush()
    this.#imports.settle()
    return hadLive
  }

  connectImporter(port: MessagePort): void {
    this.#imports.connect(port)
  }

  stopImports(): void {
    this.#imports.stop()
  }

  checkpoint(): void {
    this.gate.checkpoint()
  }

  /** Commits what it holds and leaves the store to another app. */
  handOver(): void {
    this.liveFirst()
    this.stopImports()
    this.gate.handOver()
  }

  /** Moves the WAL into the file, and compresses or removes old session logs. */
  tidyUp(): void {
    this.gate.checkpoint()
    this.sessionLog?.tidyUp()
  }

  close(): void {
    this.#unfollow()
    this.sessionLog?.close()
    this.gate.close()
  }

  #createGate(prepared: ReturnType<typeof createPreparedPayloads>): StoreGate {
    const { start, hashKey, tally, logger, accept, redact, onAway, onFault } = this.#options
    const { dataDir, config, appVersion } = start
    const { lifestats: limits } = config
    const prices = withOwnPrices(config.pricing.models)
    const path = resolve(dataDir, limits.db_path)
    const run = { pid: process.pid, startedAt: start.timeOrigin }
    const options: StoreGateOptions = {
      hashKey,
      limits,
      spoolPath: join(dataDir, 'spool.jsonl'),
      run,
      isHandedOver: start.isHandedOver ?? false,
      openStore: () => {
        finishSalvage(path)
        return openStore({
          dataDir,
          dbPath: path,
          hashKey,
          limits,
          prepared,
          prices,
          appVersion,
          tombstones: this.#tombstones,
          onAway,
          run,
          now: () => SYSTEM_CLOCK.wall(),
        })
      },
      salvage: (reason) => salvage({ path, reason, hashKey, pricing: createPricing(prices), appVersion }),
      setAside: () => {
        this.#tombstones = setAside(path, Date.now())
      },
      accept,
      onStored: (result) => this.#publish(result, true),
      onState: (state) => {
        logger[state.state === 'running' ? 'info' : 'warn'](state, 'the state of the store changed')
        this.#listener?.onState()
      },
      onFault,
      onLost(count, why) {
        tally.drop('spool_full', count)
        logger.error({ count, why: redact(why) }, 'events were lost')
      },
    }
    return limits.enabled ? new SpoolingGate(options) : createUnstoredGate({ ...options, prices })
  }

  #createCommits(): ReturnType<typeof createCommits> {
    const { tally, logger, redact } = this.#options
    return createCommits({
      write: (drafts) => this.gate.write(drafts),
      writeStored: (drafts, { checkpoints, isLive, staysOpen }) => {
        const result = this.gate.writeStored(drafts, { checkpoints, isUnseen: !isLive, staysOpen })
        this.#publish(result, isLive)
        return result
      },
      onRefused({ kind, source }, message) {
        tally.drop('recorder_failed')
        logger.error({ kind, source, message: redact(message) }, 'an event could not be stored')
      },
      onCommitted: tally.lag,
      onWritten: () => this.#listener?.onWritten(),
    })
  }

  /** Counts the stored events. Live events also go to the feed, the session log and the metrics. */
  #publish(result: AppendResult, isLive: boolean): void {
    const { tally, live, measures, onLeftOut } = this.#options
    const events = result.added.map(({ event }) => event)
    tally.stored(result)
    tally.unknown(events)
    if (result.leftOut.length > 0) onLeftOut(result.leftOut)
    // Also those of an import: an open window may show the prompt that it corrects.
    live.corrected(result.corrected)
    if (!isLive) return
    const summaries = result.added.map(({ summary }) => summary)
    live.events(summaries)
    this.sessionLog?.write(events)
    measures.add(events, summaries)
  }
}
