import type { Health, WarningFix } from '../../shared/contract/health.ts'
import { logFolderFix, settingFix, type Warning } from './warning.ts'

type Sink = Health['sinks'][number]

const FAILING: Readonly<Record<Sink['name'], string>> = {
  session_log: 'Session logs cannot be written',
  webhook: 'The webhook does not accept events',
  otel: 'The OpenTelemetry collector does not accept turns',
  team: "The team's server does not take the history",
}

/**
 * Returns warnings for sinks that cannot deliver or gave up events. None is severe, because the database has
 * everything.
 */
export const sinkWarnings = (sinks: readonly Sink[], dataDir: string): Warning[] =>
  sinks.flatMap((sink) => [...failingWarning(sink, dataDir), ...droppedWarnings(sink)])

function failingWarning({ name, target, waiting, problem }: Sink, dataDir: string): Warning[] {
  if (problem === null) return []
  const waits = waiting > 0 ? ` Waiting: ${waiting}.` : ''
  return [
    {
      code: `${name}_failing`,
      message: `${FAILING[name]} (${target}): ${problem}.${waits}`,
      fix: name === 'session_log' ? logFolderFix(dataDir) : addressFix(name),
      isSevere: false,
    },
  ]
}

function droppedWarnings({ name, target, dropped }: Sink): Warning[] {
  if (name === 'session_log') return []
  return Object.entries(dropped).flatMap(([reason, count]): Warning[] =>
    count === 0
      ? []
      : [
          {
            code: `${name}_${reason}`,
            message: `Not sent to ${target} (${reason}): ${count}.`,
            fix: fixOfDrop(reason, name),
            isSevere: false,
          },
        ],
  )
}

function fixOfDrop(reason: string, name: 'webhook' | 'otel' | 'team'): WarningFix {
  switch (reason) {
    case 'overflow':
      return settingFix(
        `If the receiver is down for long periods, raise max_waiting under [${name}]. The database has these events.`,
        name,
        'max_waiting',
      )
    case 'refused':
      return settingFix(`Find out why the address under [${name}] responds with 400 or 422.`, name)
    case 'too_large':
      return settingFix(
        `Let the address under [${name}] accept larger bodies: a single event exceeded its limit.`,
        name,
      )
    default:
      return addressFix(name)
  }
}

function addressFix(name: 'webhook' | 'otel' | 'team'): WarningFix {
  const key = name === 'otel' ? 'endpoint' : 'url'
  return settingFix(
    `Check that ${key} under [${name}] is correct and reachable. Waiting events are then sent automatically.`,
    name,
    key,
  )
}
