import type { OwnCode } from '../../pipeline/custom/own-code.ts'
import { dropsOfSteps, type Pipeline } from '../../pipeline/pipeline.ts'
import type { MeasuresInProgress } from '../../sinks/measures.ts'
import type { SessionLog } from '../../sinks/recorder/session-log.ts'
import type { RecorderStatus } from '../protocol.ts'
import type { StoreGate } from './write/gate.ts'
import { sumOf, type Tally } from '../tally.ts'

/** Minimum time between two reports, except when the state changes. */
const STATUS_MS = 1000

export interface StatusReportOptions {
  readonly gate: Pick<StoreGate, 'state' | 'spooled' | 'unpricedModels'>
  readonly tally: Pick<Tally, 'read' | 'importerRedactions'>
  readonly ownCode: Pick<OwnCode, 'redactor' | 'timeouts'>
  readonly pipeline: Pick<Pipeline, 'status'>
  readonly sessionLog: Pick<SessionLog, 'status'> | null
  readonly measures: Pick<MeasuresInProgress, 'read'>
  send(status: RecorderStatus): void
}

/** Reports the recorder's status to the main thread. */
export interface StatusReport {
  /** Reports within a second. */
  soon(): void
  now(): void
}

export function createStatusReport(options: StatusReportOptions): StatusReport {
  const { gate, tally, ownCode, pipeline, sessionLog, measures, send } = options
  let timer: NodeJS.Timeout | null = null

  function now(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const counts = tally.read()
    const log = sessionLog?.status() ?? null
    const imported = tally.importerRedactions()
    const timeouts = Object.values(ownCode.timeouts()).reduce((total, count) => total + count, imported.timeouts)
    const processors = pipeline.status()
    send({
      ...gate.state(),
      ...counts,
      dropped: {
        ...sumOf(counts.dropped, dropsOfSteps(processors)),
        ...(log !== null && log.failed > 0 ? { session_log: log.failed } : {}),
        ...(timeouts > 0 ? { redaction_timeout: timeouts } : {}),
      },
      spooled: gate.spooled(),
      redacted: sumOf(ownCode.redactor.counts(), imported.counts),
      unpriced_models: gate.unpricedModels(),
      processors,
      session_log: log,
      measures: measures.read(),
    })
  }

  return { soon: () => void (timer ??= setTimeout(now, STATUS_MS)), now }
}
