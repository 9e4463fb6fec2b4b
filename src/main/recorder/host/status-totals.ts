import { NO_MEASURES, sumOfMeasures } from '../../sinks/measures.ts'
import type { RecorderCounts, RecorderStatus } from '../protocol.ts'
import { sumOf } from '../tally.ts'

type Processors = RecorderStatus['processors']

const NOTHING: RecorderStatus = {
  state: 'running',
  reason: null,
  exchanges: 0,
  events: 0,
  sightings: 0,
  commit_lag_ms: null,
  spooled: 0,
  dropped: {},
  unknown: {},
  redacted: {},
  unpriced_models: [],
  processors: [],
  session_log: null,
  measures: NO_MEASURES,
}

/** Totals over all recorders of this run of the app. Each recorder counts from its own start. */
export function createStatusTotals() {
  let before = NOTHING
  let now = NOTHING
  return {
    /** Takes the latest status of the current recorder. */
    update(status: RecorderStatus) {
      now = status
    },
    /** Takes its latest counts, which arrive more often. */
    count(counts: RecorderCounts) {
      now = { ...now, ...counts }
    },
    /** The recorder ended: keeps its last counts. The next one counts from 0. */
    closeRun() {
      before = totalOf(before, now)
      const { spooled, state, reason } = now
      now = { ...NOTHING, spooled, state, reason }
    },
    /** Counts a loss that no recorder can count itself. */
    drop(reason: string) {
      before = { ...before, dropped: sumOf(before.dropped, { [reason]: 1 }) }
    },
    status: () => (before === NOTHING ? now : totalOf(before, now)),
  }
}

/** Adds the counters. `spooled` is not a counter but the current size of the spool, so the newer value wins. */
function totalOf(before: RecorderStatus, now: RecorderStatus): RecorderStatus {
  return {
    ...now,
    exchanges: before.exchanges + now.exchanges,
    events: before.events + now.events,
    sightings: before.sightings + now.sightings,
    commit_lag_ms: now.commit_lag_ms ?? before.commit_lag_ms,
    dropped: sumOf(before.dropped, now.dropped),
    unknown: sumOf(before.unknown, now.unknown),
    redacted: sumOf(before.redacted, now.redacted),
    unpriced_models: [...new Set([...before.unpriced_models, ...now.unpriced_models])],
    processors: processorSums(before.processors, now.processors),
    session_log: logSums(before.session_log, now.session_log),
    measures: sumOfMeasures(before.measures, now.measures),
  }
}

function logSums(before: RecorderStatus['session_log'], now: RecorderStatus['session_log']) {
  if (before === null || now === null) return now ?? before
  return { lines: before.lines + now.lines, failed: before.failed + now.failed, problem: now.problem }
}

/** The current processors with their counts of earlier recorders. A processor that was removed is left out. */
function processorSums(before: Processors, now: Processors): Processors {
  if (now.length === 0) return before
  return now.map((processor) => {
    const known = before.find(({ name }) => name === processor.name)
    if (!known) return processor
    const { name, seen, dropped, errors, disabled, late, slowest_ms } = processor
    return {
      name,
      seen: seen + known.seen,
      dropped: dropped + known.dropped,
      errors: errors + known.errors,
      disabled,
      late: late + known.late,
      slowest_ms: slowest_ms === null ? known.slowest_ms : Math.max(slowest_ms, known.slowest_ms ?? 0),
    }
  })
}
