import type { WarningFix } from '../../shared/contract/health.ts'
import { dropsOf, type HealthFacts } from './health-facts.ts'
import { diskFix, doctorFix, logFolderFix, settingFix, type Warning } from './warning.ts'

/** Drops that the user asked for. They are counted but need no warning. */
const WANTED_DROPS = new Set(['filtered', 'processor_dropped', 'deleted_session'])

/** Returns a warning for each reason for which events were not recorded. */
export function dropWarnings(facts: HealthFacts): Warning[] {
  const dataDir = facts.run.data
  return Object.entries(dropsOf(facts)).flatMap(([reason, count]): Warning[] => {
    if (count === 0 || WANTED_DROPS.has(reason)) return []
    const isLog = reason === 'session_log'
    return [
      {
        code: `dropped_${reason}`,
        message: isLog
          ? `Lines missing from session logs: ${count}. The database has these events.`
          : `Not recorded (${reason}): ${count}.`,
        fix: fixOfDrop(reason, dataDir),
        isSevere: !isLog,
      },
    ]
  })
}

function fixOfDrop(reason: string, dataDir: string): WarningFix {
  switch (reason) {
    case 'queue_full':
      return settingFix(
        'The recorder fell behind. Raise max_queue_bytes under [proxy], or find out what slows the disk.',
        'proxy',
        'max_queue_bytes',
      )
    case 'recorder_failed':
      return doctorFix('Check the log for the error that ended the recorder, then report it.')
    case 'decode_failed':
      return doctorFix('A newer client or API sent something unknown. Update Aspy, or report it.')
    case 'request_too_large':
    case 'response_too_large':
      return doctorFix(
        'Bodies are decoded up to 64 MB, streams up to 20 MB; an error in the session names the limit. Claude Code got all of it.',
      )
    case 'hook_too_large':
      return doctorFix(
        'Hooks of more than 4 MB are not recorded. The API traffic and the transcript have what they report.',
      )
    case 'redaction_timeout':
      return settingFix(
        'Simplify your own patterns under [redaction], or raise text_timeout_ms.',
        'redaction',
        'text_timeout_ms',
      )
    case 'spool_full':
      return diskFix('Free disk space, and make the data folder writable again.', dataDir)
    case 'session_log':
      return logFolderFix(dataDir)
    default:
      return doctorFix('Check the log.')
  }
}
