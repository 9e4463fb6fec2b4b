import { dropsOf } from './health-facts.ts'
import type { HealthFacts } from './health-facts.ts'
import { sinkWarnings } from './sink-warnings.ts'

/** What is wrong, and what mends it, in words for a person. */
export interface Warning {
  readonly code: string
  readonly message: string
  readonly fix: string
  /** Something is being lost or cannot be read: the app counts as degraded. */
  readonly isSevere: boolean
}

const DROP_FIXES: Readonly<Record<string, string>> = {
  queue_full: 'The recorder fell behind: raise max_queue_bytes under [proxy], or see what slows the disk.',
  recorder_failed: 'See the log for what ended the recorder, and report it.',
  decode_failed: 'A newer client or API says something unknown: update Aspy, or report it.',
  redaction_timeout: 'Simplify your own patterns under [redaction], or give text more time there (text_timeout_ms).',
  spool_full: 'Free disk space, and make the data folder writable again.',
}

/** Drops that somebody asked for: they are counted, but nothing is wrong. */
const WANTED_DROPS = new Set(['filtered', 'processor_dropped', 'deleted_session'])

/** The warnings that follow from the facts, the gravest first. */
export function findWarnings(facts: HealthFacts): Warning[] {
  const { recorder, run, folderFault, isRecordingOn, setAside } = facts
  const warnings: Warning[] = []
  const add = (code: string, message: string, fix: string, isSevere: boolean) =>
    warnings.push({ code, message, fix, isSevere })

  if (folderFault !== null) {
    add('folder_unwritable', folderFault, `Make ${run.data} writable for you, or choose another with --data DIR.`, true)
  }
  for (const name of setAside) {
    add(
      'database_set_aside',
      `The database was damaged; it lies in ${name}, and a new one was begun.`,
      'Bring back what transcripts still hold (aspy import ~/.claude/projects) or restore a backup; then remove the file.',
      false,
    )
  }
  if (recorder.fault !== null) {
    add(recorder.fault.code, recorder.fault.message, fixOfFault(recorder.fault.code, run.data), true)
  }
  if (isRecordingOn && recorder.state === 'failed') {
    add(
      'recorder_failed',
      'The recorder ends again and again; traffic passes unrecorded.',
      'See the log, and report it.',
      true,
    )
  }
  if (recorder.state === 'spooling' && recorder.fault === null) {
    const reason = recorder.reason ?? 'the database cannot be written'
    add(
      'spooling',
      `Events wait on disk: ${reason}.`,
      'Free disk space or unlock the database; they follow by themselves.',
      true,
    )
  }
  for (const [reason, count] of Object.entries(dropsOf(facts))) {
    if (count === 0 || WANTED_DROPS.has(reason)) continue
    if (reason === 'session_log') {
      add(
        'dropped_session_log',
        `Lines missing in session logs: ${count}. The database has these events.`,
        'Free disk space, and see that the folder logs is yours to write.',
        false,
      )
      continue
    }
    add(`dropped_${reason}`, `Not recorded (${reason}): ${count}.`, DROP_FIXES[reason] ?? 'See the log.', true)
  }
  const disabled = recorder.processors.filter((processor) => processor.disabled !== null)
  if (disabled.length > 0) {
    const said = disabled.map(({ name, disabled: why }) => `${name} (${why})`).join('; ')
    add(
      'processor_disabled',
      `Processors of yours are not asked any more: ${said}. Events go on without them.`,
      'Mend them, then change [processors] in Settings or restart.',
      true,
    )
  }
  const failing = recorder.processors.filter((one) => one.disabled === null && one.errors > 0)
  if (failing.length > 0) {
    const said = failing.map(
      ({ name, errors, late }) => `${name} (${errors}${late > 0 ? `, ${late} for lateness` : ''})`,
    )
    add(
      'processor_failing',
      `Processors of yours failed at events, which went on as they were: ${said.join('; ')}.`,
      'See the log for their errors; one that is late may need more time (timeout_ms under [processors]).',
      false,
    )
  }
  warnings.push(...sinkWarnings(facts.sinks))
  if (!isRecordingOn) {
    add(
      'lifestats_off',
      'Nothing is recorded.',
      'Set enabled = true under [lifestats] in config.toml, and restart.',
      false,
    )
  }
  if (recorder.unpriced_models.length > 0) {
    const models = recorder.unpriced_models.join(', ')
    add(
      'unpriced_models',
      `No price is known for ${models}: their cost is missing in all sums.`,
      'Update Aspy for newer prices, or set your own under [pricing].',
      false,
    )
  }
  return warnings
}

function fixOfFault(code: string, dataDir: string): string {
  if (code === 'newer_database') return 'Update Aspy, or choose another data folder with --data DIR.'
  if (code === 'already_running') return 'Stop the other app, or choose another data folder with --data DIR.'
  return `See that ${dataDir} is writable and its disk has room, or choose another with --data DIR.`
}
