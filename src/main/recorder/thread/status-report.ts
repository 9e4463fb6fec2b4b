import type { OwnCode } from '../../pipeline/custom/own-code.ts'
import { dropsOfSteps } from '../../pipeline/pipeline.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { MeasuresInProgress } from '../../sinks/measures.ts'
import type { SessionLog } from '../../sinks/recorder/session-log.ts'
import type { RecorderStatus } from '../protocol.ts'
import type { StoreGate } from './write/store-gate.ts'
import { sumOf } from '../tally.ts'
import type { Tally } from '../tally.ts'

/** At most one report in so long, but for a change of state. */
const STATUS_MS = 1000

export interface StatusReportOptions {
  readonly gate: Pick<StoreGate, 'state' | 'spooled' | 'unpricedModels'>
  readonly tally: Pick<Tally, 'read'>
  readonly ownCode: Pick<OwnCode, 'redactor' | 'timeouts'>
  readonly pipeline: Pick<Pipeline, 'status'>
  readonly sessionLog: Pick<SessionLog, 'status'> | null
  readonly measures: Pick<MeasuresInProgress, 'read'>
  send(status: RecorderStatus): void
}

/** Tells the main thread how the recorder fares, from the counts of its parts. */
export interface StatusReport {
  /** Within a second, with what comes until then. */
  soon(): void
  now(): void
  /** What the importer's redaction found, and how many texts it left out: its drafts come redacted. */
  redactedElsewhere(counts: { readonly [rule: string]: number }, timeouts: number): void
}

export function createStatusReport(options: StatusReportOptions): StatusReport {
  const { gate, tally, ownCode, pipeline, sessionLog, measures, send } = options
  let importRedactions: { readonly [rule: string]: number } = {}
  let importTimeouts = 0
  let timer: NodeJS.Timeout | null = null

  function now(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const counts = tally.read()
    const log = sessionLog?.status() ?? null
    const timeouts = Object.values(ownCode.timeouts()).reduce((total, count) => total + count, importTimeouts)
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
      redacted: sumOf(ownCode.redactor.counts(), importRedactions),
      unpriced_models: gate.unpricedModels(),
      processors,
      session_log: log,
      measures: measures.read(),
    })
  }

  return {
    soon: () => void (timer ??= setTimeout(now, STATUS_MS)),
    now,
    redactedElsewhere(counts, timeouts) {
      importTimeouts += timeouts
      importRedactions = sumOf(importRedactions, counts)
    },
  }
}
