import { resolve } from 'node:path'
import { createOwnCode, type OwnCode } from '../../pipeline/custom/own-code.ts'
import { createPipeline, type Pipeline, type PipelineOptions } from '../../pipeline/pipeline.ts'
import type { Filter } from '../../pipeline/processors/filter.ts'
import { pipelineSteps } from '../../pipeline/processors/list.ts'
import { ClientOfSession } from '../client-of-session.ts'
import { createMeasures } from '../../sinks/measures.ts'
import { LiveBatcher } from '../live-batcher.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../protocol.ts'
import { leftOutAnswers } from '../../store/ingest/left-out-answers.ts'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { createTally } from '../tally.ts'
import type { VitalSigns } from '../vital-signs.ts'
import { answerCalls } from './calls/answer-calls.ts'
import { createRecorderHandlers } from './calls/recorder-handlers.ts'
import { Capture } from './capture/capture.ts'
import { createIdleWork, type IdleWork } from './idle-work.ts'
import { createStatusReport, type StatusReport } from './status-report.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { Writer } from './write/writer.ts'

const SHUTDOWN_MS = 2000

/** Text is not shown while it is written if a later step may still change or drop it. */
const NO_LIVE_TEXT = { deltas: () => undefined, close: () => undefined } as const

export interface RecorderOptions {
  readonly start: RecorderStart
  readonly hashKey: Uint8Array
  readonly vitalSigns: Pick<VitalSigns, 'workOn'> & Partial<Pick<VitalSigns, 'beat' | 'away'>>
  readonly logger: PipelineOptions['logger']
  send(message: FromRecorder): void
}

/** The recorder without the thread it runs in: capture, writer and upkeep, and their connections. Opens the store. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #ownCode: OwnCode
  readonly #filter: Filter | null
  readonly #pipeline: Pipeline
  readonly #tally = createTally()
  readonly #live: LiveBatcher
  readonly #writer: Writer
  readonly #capture: Capture
  readonly #upkeep: Upkeep
  readonly #status: StatusReport
  readonly #idleWork: IdleWork
  readonly #answerCall: ReturnType<typeof answerCalls>

  constructor(options: RecorderOptions) {
    const { start, hashKey, vitalSigns, logger, send } = options
    const { dataDir, config, isDemo } = start
    const clients = new ClientOfSession()
    const measures = createMeasures((event) => clients.of(event))
    this.#options = options
    this.#ownCode = createOwnCode({ config, dataDir, hashKey, withProcessors: true, onWait: vitalSigns.beat })
    const { redactor } = this.#ownCode
    const { filter, steps } = pipelineSteps(config, this.#ownCode.steps)
    this.#filter = filter
    this.#pipeline = createPipeline({ redactor, isDemo, logger, processors: steps })
    this.#live = new LiveBatcher(redactor, (batch) => send({ type: 'live', ...batch }))
    this.#writer = new Writer({
      start,
      hashKey,
      live: this.#live,
      tally: this.#tally,
      measures,
      logger,
      accept: this.#pipeline.accept,
      redact: redactor.text,
      onAway: vitalSigns.away ?? (() => undefined),
      onFault: (error) => send({ type: 'fault', error }),
      onLeftOut: (answers) => send({ type: 'left_out', answers }),
    })
    this.#capture = this.#createCapture(steps.length > 0)
    this.#upkeep = this.#createUpkeep()
    const { gate, sessionLog } = this.#writer
    this.#status = createStatusReport({
      gate,
      tally: this.#tally,
      ownCode: this.#ownCode,
      pipeline: this.#pipeline,
      sessionLog,
      measures,
      send: (status) => send({ type: 'status', status }),
    })
    this.#idleWork = createIdleWork({ writer: this.#writer, upkeep: this.#upkeep, capture: this.#capture })
    const handlers = createRecorderHandlers({
      capture: this.#capture,
      upkeep: this.#upkeep,
      people: () => gate.opened().people,
      salvage: (reason) => gate.repair({ isText: false, reason }),
      handOver: () => this.#handOver(),
      redact: redactor.text,
    })
    this.#answerCall = answerCalls(handlers, send)
    this.#writer.open({ onState: () => this.#onState(), onWritten: () => this.#onWritten() })
  }

  receive(message: ToRecorder): void {
    switch (message.type) {
      case 'tap':
        return this.#capture.tap(message.parcels)
      case 'hook':
        return this.#capture.hook(message)
      case 'call':
        return this.#answerCall(message)
      case 'importer':
        return this.#writer.connectImporter(message.port)
      case 'stop':
      case 'die':
        return
    }
  }

  /** Returns whether there may be transcripts to follow. */
  mayFollow(): boolean {
    return this.#writer.gate.ask(({ ingest }) => ingest.hasImported(), true)
  }

  /** Commits pending data and closes everything. */
  async stop(): Promise<void> {
    this.#idleWork.stop()
    await this.#capture.drained()
    this.#writer.flush()
    this.#writer.stopImports()
    this.#upkeep.stop()
    this.#live.flush()
    await this.#pipeline.shutdown(SHUTDOWN_MS)
    await this.#ownCode.stop()
    this.#status.now()
    this.#writer.close()
  }

  #handOver(): void {
    this.#upkeep.stop()
    this.#writer.handOver()
  }

  #createCapture(hasProcessors: boolean): Capture {
    const { start, vitalSigns, logger, send } = this.#options
    const { enabled, patterns } = start.config.redaction
    const pricing = createPricing(withOwnPrices(start.config.pricing.models))
    const mayChange = hasProcessors || (enabled && patterns.length > 0)
    return new Capture({
      redactor: this.#ownCode.redactor,
      pipeline: this.#pipeline,
      filter: this.#filter,
      live: mayChange ? NO_LIVE_TEXT : this.#live,
      keepsUnfinished: !mayChange,
      tally: this.#tally,
      vitalSigns,
      logger,
      timeOrigin: start.timeOrigin,
      store: this.#writer.gate,
      enqueue: (group) => this.#writer.enqueue(group),
      onFiltered: (drafts, dropped) => {
        const answers = leftOutAnswers(drafts, dropped, () => false, pricing)
        if (answers.length > 0) send({ type: 'left_out', answers })
      },
      hookRecorded: (id) => send({ type: 'hook_recorded', id }),
    })
  }

  #createUpkeep(): Upkeep {
    const { start, logger } = this.#options
    const { config, dataDir, appVersion, isDemo } = start
    const { redactor } = this.#ownCode
    const { gate, sessionLog } = this.#writer
    const past = {
      redactor,
      rules: redactor.hash(JSON.stringify([appVersion, config.redaction])),
      dataDir,
      databasePath: resolve(dataDir, config.lifestats.db_path),
    }
    return new Upkeep({
      store: () => gate.store(),
      liveFirst: () => this.#writer.liveFirst(),
      isBehind: () => gate.ask(({ maintenance }) => maintenance.isDiskBehind(), false),
      sessionLog,
      redact: (value) => redactor.json(value),
      forget: () => this.#capture.forget(),
      retention: config.lifestats,
      isDemo,
      past: config.redaction.enabled ? past : null,
      logger,
      undo: start.undo,
    })
  }

  #onState(): void {
    this.#capture.forget()
    if (this.#writer.gate.state().state === 'running') this.#upkeep.resume()
    this.#status.now()
  }

  #onWritten(): void {
    const exchanges = this.#capture.takeStored()
    if (exchanges.length > 0) this.#options.send({ type: 'acknowledge', exchanges })
    this.#options.send({ type: 'counted', counts: this.#tally.counts() })
    this.#status.soon()
    this.#idleWork.postpone()
  }
}
