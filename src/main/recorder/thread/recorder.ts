import { resolve } from 'node:path'
import { createOwnCode } from '../../pipeline/custom/own-code.ts'
import { createPipeline } from '../../pipeline/pipeline.ts'
import type { PipelineOptions } from '../../pipeline/pipeline.ts'
import { pipelineSteps } from '../../pipeline/processors/list.ts'
import { createMeasures } from '../../sinks/measures.ts'
import { LiveBatcher } from '../live-batcher.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../protocol.ts'
import { createTally } from '../tally.ts'
import type { VitalSigns } from '../vital-signs.ts'
import { answerCalls } from './calls/answer-calls.ts'
import { createRecorderHandlers } from './calls/recorder-handlers.ts'
import { Capture } from './capture/capture.ts'
import { createIdleWork } from './idle-work.ts'
import { createStatusReport } from './status-report.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { Writer } from './write/writer.ts'

const SHUTDOWN_MS = 2000

/** Text is not shown while it is written if a later step may still change or drop it. */
const NO_LIVE_TEXT = { deltas: () => undefined, close: () => undefined } as const

/** The recorder without the thread it runs in. */
export interface Recorder {
  receive(message: ToRecorder): void
  /** Commits what is pending and closes everything. */
  stop(): Promise<void>
}

export interface RecorderOptions {
  readonly start: RecorderStart
  readonly hashKey: Uint8Array
  readonly vitalSigns: Pick<VitalSigns, 'workOn'> & Partial<Pick<VitalSigns, 'beat' | 'away'>>
  readonly logger: PipelineOptions['logger']
  send(message: FromRecorder): void
}

/** Assembles the recorder from capture, writer and upkeep, and opens the store. */
export function createRecorder({ start, hashKey, vitalSigns, logger, send }: RecorderOptions): Recorder {
  const { dataDir, config, appVersion } = start
  const ownCode = createOwnCode({ config, dataDir, hashKey, withProcessors: true, onWait: vitalSigns.beat })
  const { redactor } = ownCode
  const { filter, steps } = pipelineSteps(config, ownCode.steps)
  const pipeline = createPipeline({ redactor, isDemo: start.isDemo, logger, processors: steps })
  const tally = createTally()
  const measures = createMeasures()
  const live = new LiveBatcher(redactor, (batch) => send({ type: 'live', ...batch }))

  const writer = new Writer({
    start,
    hashKey,
    live,
    tally,
    measures,
    logger,
    accept: pipeline.accept,
    redact: redactor.text,
    onAway: vitalSigns.away ?? (() => undefined),
    onFault: (error) => send({ type: 'fault', error }),
  })
  const { gate, sessionLog } = writer
  const hasPatterns = config.redaction.enabled && config.redaction.patterns.length > 0
  const capture = new Capture({
    redactor,
    pipeline,
    filter,
    live: steps.length === 0 && !hasPatterns ? live : NO_LIVE_TEXT,
    tally,
    vitalSigns,
    logger,
    timeOrigin: start.timeOrigin,
    store: gate,
    enqueue: (group) => writer.enqueue(group),
    hookRecorded: (id) => send({ type: 'hook_recorded', id }),
  })
  const upkeep = new Upkeep({
    store: () => gate.store(),
    liveFirst: () => writer.liveFirst(),
    isBehind: () => gate.ask(({ maintenance }) => maintenance.isDiskBehind(), false),
    sessionLog,
    redact: (value) => redactor.json(value),
    forget: () => capture.forget(),
    retention: config.lifestats,
    isDemo: start.isDemo,
    past: config.redaction.enabled
      ? {
          redactor,
          rules: redactor.hash(JSON.stringify([appVersion, config.redaction])),
          dataDir,
          databasePath: resolve(dataDir, config.lifestats.db_path),
        }
      : null,
    logger,
  })
  const status = createStatusReport({
    gate,
    tally,
    ownCode,
    pipeline,
    sessionLog,
    measures,
    send: (counted) => send({ type: 'status', status: counted }),
  })
  const idleWork = createIdleWork({ writer, upkeep, capture })
  const handlers = createRecorderHandlers({
    capture,
    upkeep,
    people: () => gate.opened().people,
    setAside: (reason) => gate.setAside(reason),
    redact: redactor.text,
  })
  const answerCall = answerCalls(handlers, send)

  writer.open({
    onState() {
      capture.forget()
      status.now()
    },
    onWritten() {
      const exchanges = capture.takeStored()
      if (exchanges.length > 0) send({ type: 'acknowledge', exchanges })
      status.soon()
      idleWork.postpone()
    },
  })
  return {
    receive(message) {
      switch (message.type) {
        case 'tap':
          return capture.tap(message.parcels)
        case 'hook':
          return capture.hook(message)
        case 'call':
          return answerCall(message)
        case 'importer':
          return writer.connectImporter(message.port)
        case 'stop':
        case 'die':
          return
      }
    },
    async stop() {
      idleWork.stop()
      await capture.drained()
      writer.flush()
      writer.stopImports()
      upkeep.stop()
      live.flush()
      await pipeline.shutdown(SHUTDOWN_MS)
      await ownCode.stop()
      status.now()
      writer.close()
    },
  }
}
