import type { Health } from '../../shared/contract/health.ts'
import { SYSTEM_CLOCK } from '../base/clock.ts'
import { SessionUpstreams } from '../base/session-upstreams.ts'
import { dropsOf, type HealthFacts } from './health-facts.ts'
import { findWarnings } from './warnings.ts'

/** Returns the health of the running app, including its warnings. */
export function gatherHealth(given: Omit<HealthFacts, 'isClockWrong'>): Health {
  const facts = { ...given, isClockWrong: SYSTEM_CLOCK.isWrong() }
  const { run, tap, recorder, totals } = facts
  const warnings = findWarnings(facts)
  return {
    ...run,
    gateways: new SessionUpstreams(run.data).addresses(),
    status: warnings.some(({ isSevere }) => isSevere) ? 'degraded' : 'ok',
    queue_bytes: tap.queue_bytes,
    in_flight: tap.in_flight,
    exchanges_seen: tap.seen,
    exchanges_recorded: recorder.exchanges,
    commit_lag_ms: recorder.commit_lag_ms,
    recorder_lag_ms: Math.round(Math.max(tap.lag.oldest_ms, recorder.hooks_oldest_ms)),
    recorder_lag_p50_ms: rounded(tap.lag.p50_ms),
    recorder_lag_p99_ms: rounded(tap.lag.p99_ms),
    events_written: recorder.events,
    dropped: dropsOf(facts),
    spooled: recorder.spooled,
    recorder: facts.isRecordingOn ? recorder.state : 'off',
    recorder_restarts: recorder.restarts,
    unpriced_models: [...recorder.unpriced_models],
    unknown: { ...recorder.unknown },
    redacted: { ...recorder.redacted },
    processors: recorder.processors.map((processor) => ({ ...processor })),
    sinks: [...facts.sinks],
    warnings: warnings.map(({ code, message, fix }) => ({ code, message, fix })),
    ...totals,
    files: facts.files,
  }
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))
