import type { Health } from '../../shared/contract/health.ts'
import type { Warning } from './warnings.ts'

type Sink = Health['sinks'][number]

const CALLED: Readonly<Record<Sink['name'], string>> = {
  session_log: 'Session logs cannot be written',
  webhook: 'The webhook does not take events',
  otel: 'The OpenTelemetry collector does not take turns',
}

const FIXES: Readonly<Record<Sink['name'], string>> = {
  session_log: 'Free disk space, and see that the folder is yours to write. The database has what the logs lack.',
  webhook: 'See that the address under [webhook] is right and answers. What waits follows by itself.',
  otel: 'See that the endpoint under [otel] is right and answers. What waits follows by itself.',
}

const DROP_FIXES: Readonly<Record<string, (section: string) => string>> = {
  overflow: (section) =>
    `Where the other side is down for long, raise max_waiting under ${section}. The database has all of it.`,
  refused: (section) => `See why the address under ${section} answers 400 or 422 to what it is sent.`,
  too_large: (section) => `Let the address under ${section} take larger bodies: a single event was too large for it.`,
}

/** What sinks cannot deliver, and what they gave up. Nothing of it is lost here, so that none is severe. */
export function sinkWarnings(sinks: readonly Sink[]): Warning[] {
  return sinks.flatMap(({ name, target, waiting, dropped, problem }) => {
    const waits = waiting > 0 ? ` ${waiting} wait.` : ''
    const failing: Warning[] =
      problem === null
        ? []
        : [
            {
              code: `${name}_failing`,
              message: `${CALLED[name]} (${target}): ${problem}.${waits}`,
              fix: FIXES[name],
              isSevere: false,
            },
          ]
    const gone = Object.entries(dropped).flatMap(([reason, count]): Warning[] =>
      count === 0 || name === 'session_log'
        ? []
        : [
            {
              code: `${name}_${reason}`,
              message: `Not sent to ${target} (${reason}): ${count}.`,
              fix: DROP_FIXES[reason]?.(`[${name}]`) ?? FIXES[name],
              isSevere: false,
            },
          ],
    )
    return [...failing, ...gone]
  })
}
