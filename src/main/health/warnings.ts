import { counted } from '../../shared/counted.ts'
import type { WarningFix } from '../../shared/contract/health.ts'
import { commandFix, diskFix, doctorFix, folderFix, settingFix, textFix, type Warning } from './warning.ts'
import { withTypedHere } from '../base/folder-of-run.ts'
import { HASH_KEY_FILE, type ReplacedFile } from '../base/data-folder.ts'
import type { HealthFacts, SetAside } from './health-facts.ts'
import { dropWarnings } from './drop-warnings.ts'
import { serviceWarnings } from './service-warnings.ts'
import { guardWarnings } from './guard-warnings.ts'
import { keeperWarnings } from './keeper-warnings.ts'
import { sinkWarnings } from './sink-warnings.ts'
import { tunnelWarnings } from './tunnel-warnings.ts'

/** Sessions with missing events that a warning names. */
const NAMED_SESSIONS = 5

/** A recorder further behind is worth a warning. */
const MAX_LAG_MS = 5000

/** Returns the warnings that follow from the facts, most severe first; their fixes name commands as they can be typed. */
export function findWarnings(facts: HealthFacts): Warning[] {
  const found = [
    ...storageWarnings(facts),
    ...recorderWarnings(facts),
    ...dropWarnings(facts),
    ...processorWarnings(facts),
    ...sinkWarnings(facts.sinks, facts.run.data),
    ...guardWarnings(facts.guardPassed ?? []),
    ...settingWarnings(facts),
    ...fileWarnings(facts.files),
    ...tunnelWarnings(facts.run.tunnels),
    ...(facts.keeper === undefined ? [] : keeperWarnings(facts.keeper)),
    ...(facts.service === undefined ? [] : serviceWarnings(facts.service)),
  ]
  return found.map(({ fix, ...rest }) => ({ ...rest, fix: typedFix(fix, facts.run.data) }))
}

function typedFix(fix: WarningFix, dataDir: string): WarningFix {
  const typed = { ...fix, text: withTypedHere(fix.text, dataDir) }
  return typed.kind === 'command' ? { ...typed, command: withTypedHere(typed.command, dataDir) } : typed
}

const NAMED_FILES = 3
function fileWarnings({ state, differing }: HealthFacts['files']): Warning[] {
  if (state !== 'changed') return []
  const named = differing.slice(0, NAMED_FILES).join(', ')
  return [
    {
      code: 'files_changed',
      message: `${counted(differing.length, 'file')} of Aspy ${differing.length === 1 ? 'is' : 'are'} not as in its package: ${named}${differing.length > NAMED_FILES ? ' …' : ''}.`,
      fix: textFix('Install the package again. This finds damage, not an attacker, who can change the list as well.'),
      isSevere: false,
    },
  ]
}

function storageWarnings({
  run,
  folderFault,
  isFolderRegained,
  isFolderGone,
  replacedFiles,
  setAside,
  lostLogSince,
  isClockWrong,
}: HealthFacts): Warning[] {
  const folder: Warning[] =
    folderFault === null
      ? []
      : [
          {
            code: 'folder_unwritable',
            message: folderFault,
            fix: folderFix(`Make ${run.data} writable, or choose another folder with --data DIR.`, run.data),
            isSevere: true,
          },
        ]
  const gone: Warning[] = isFolderGone
    ? [
        {
          code: 'folder_moved',
          message: `${run.data} was moved or removed while Aspy ran: what it records is in the folder of before, or lost.`,
          fix: commandFix(
            'Run aspy restart: it then records into a new folder in that place. One that was moved is read with --data DIR.',
            'aspy restart',
          ),
          isSevere: true,
        },
      ]
    : []
  const regained = isFolderRegained ? [FOLDER_REGAINED] : []
  const damaged = setAside.map(setAsideWarning)
  const clock = isClockWrong ? [CLOCK_UNSET] : []
  return [
    ...folder,
    ...gone,
    ...regained,
    ...replacedFiles.map(replacedWarning),
    ...damaged,
    ...lostLogWarnings(lostLogSince),
    ...clock,
  ]
}

const FOLDER_REGAINED: Warning = {
  code: 'folder_regained',
  message:
    'The data folder could not be used when Aspy started, and can be now: what comes is recorded. Commands do not find this run, whose keys are not those of the folder.',
  fix: textFix('Quit Aspy and start it again.'),
  isSevere: false,
}

const CLOCK_UNSET: Warning = {
  code: 'clock_unset',
  message:
    "This computer's clock is not set, or jumped by more than a day. What is recorded meanwhile may have a wrong time.",
  fix: textFix('Set the clock. Later events then have the right time.'),
  isSevere: false,
}

function lostLogWarnings(since: string | null): Warning[] {
  if (since === null) return []
  return [
    {
      code: 'log_removed',
      message: `Aspy was ended without closing its database, and the file lifestats.db-wal was removed since. It may have held what was recorded after ${since}.`,
      fix: commandFix('Import transcripts again, which have most of it.', 'aspy import ~/.claude/projects'),
      isSevere: false,
    },
  ]
}

function setAsideWarning({ name, salvaged }: SetAside): Warning {
  const fix = commandFix(
    'Import transcripts again or restore a backup. Then delete the damaged file.',
    'aspy import ~/.claude/projects',
  )
  const begin = `The database was damaged. It was moved to ${name},`
  return {
    code: 'database_set_aside',
    message:
      salvaged === null
        ? `${begin} and a new database was created: nothing could be salvaged.`
        : `${begin} and a new database has what could be read. ${salvagedText(salvaged)}`,
    fix,
    isSevere: false,
  }
}

function salvagedText({ events, missing, mended, sessions }: NonNullable<SetAside['salvaged']>): string {
  const texts = mended === 0 ? '' : ` ${mended} events lost a text.`
  if (missing === 0)
    return `It has ${events} events. The damaged file lists no others; a part that was cut off may have held more.${texts}`
  const named = sessions.slice(0, NAMED_SESSIONS).map((session) => `${session.id} (${session.missing})`)
  const more = sessions.length > named.length ? `, and ${sessions.length - named.length} more` : ''
  return `It has ${events} events; ${missing} are missing, in the sessions ${named.join(', ')}${more}.${texts}`
}

const HASH_KEY_FIX =
  'If you have a copy of hash.key or a backup, stop Aspy and put it back, with aspy restore if it is a backup: ' +
  'the new key does not match what was recorded before. Then delete what was renamed.'

function replacedWarning({ name, movedTo, why }: ReplacedFile): Warning {
  return {
    code: 'key_replaced',
    message: `The file ${name} in the data folder could not be trusted: ${why}. It was renamed to ${movedTo}, and a new one was created.`,
    fix:
      name === HASH_KEY_FILE
        ? textFix(HASH_KEY_FIX)
        : commandFix('Give Claude Code the new keys, and sign in again. Then delete the renamed file.', 'aspy setup'),
    isSevere: false,
  }
}

function recorderWarnings({ recorder, run, tap, isRecordingOn }: HealthFacts): Warning[] {
  const warnings: Warning[] = []
  if (recorder.fault !== null) {
    const { code, message } = recorder.fault
    warnings.push({ code, message, fix: fixOfFault(code, run.data), isSevere: true })
  }
  if (isRecordingOn && recorder.state === 'failed') {
    warnings.push({
      code: 'recorder_failed',
      message: 'The recorder keeps failing; traffic passes through unrecorded.',
      fix: doctorFix('Check the log, then report the problem.'),
      isSevere: true,
    })
  }
  if (recorder.state === 'spooling' && recorder.fault === null) {
    warnings.push({
      code: 'spooling',
      message: `Events wait on disk: ${recorder.reason ?? 'the database cannot be written'}.`,
      fix:
        recorder.isRepairing === true
          ? textFix('Wait: Aspy repairs the database itself. The events are then stored automatically.')
          : diskFix('Free disk space or unlock the database. The events are then stored automatically.', run.data),
      isSevere: true,
    })
  }
  const lagMs = Math.max(tap.lag.oldest_ms, recorder.hooks_oldest_ms)
  if (isRecordingOn && lagMs > MAX_LAG_MS) {
    warnings.push({
      code: 'recorder_behind',
      message: `The recorder is ${Math.round(lagMs / 1000)} s behind. If the app is killed now, that much is lost.`,
      fix: textFix('Find out what else uses the processors or the disk. Traffic is kept in memory meanwhile.'),
      isSevere: false,
    })
  }
  return warnings
}

function fixOfFault(code: string, dataDir: string): WarningFix {
  if (code === 'newer_database') return textFix('Update Aspy, or choose another data folder with --data DIR.')
  if (code === 'older_database')
    return textFix('Bring over what it holds, or choose another data folder with --data DIR.')
  if (code === 'already_running') return textFix('Stop the other app, or choose another data folder with --data DIR.')
  return diskFix(
    `Check that ${dataDir} is writable and its disk has free space, or choose another folder with --data DIR.`,
    dataDir,
  )
}

function processorWarnings({ recorder: { processors } }: HealthFacts): Warning[] {
  const disabled = processors.filter((processor) => processor.disabled !== null)
  const failing = processors.filter((processor) => processor.disabled === null && processor.errors > 0)
  const warnings: Warning[] = []
  if (disabled.length > 0) {
    const names = disabled.map(({ name, disabled: reason }) => `${name} (${reason})`).join('; ')
    warnings.push({
      code: 'processor_disabled',
      message: `These processors were disabled: ${names}. Events skip them.`,
      fix: settingFix('Fix the processors, then change [processors] in Settings or restart.', 'processors'),
      isSevere: true,
    })
  }
  if (failing.length > 0) {
    const names = failing
      .map(({ name, errors, late }) => `${name} (${errors}${late > 0 ? `, ${late} too late` : ''})`)
      .join('; ')
    warnings.push({
      code: 'processor_failing',
      message: `These processors failed on some events, which were recorded unchanged: ${names}.`,
      fix: settingFix(
        'Check the log for the errors. If a processor is too slow, raise timeout_ms under [processors].',
        'processors',
        'timeout_ms',
      ),
      isSevere: false,
    })
  }
  return warnings
}

function settingWarnings({ recorder, isRecordingOn, configFault }: HealthFacts): Warning[] {
  const warnings: Warning[] = []
  if (configFault !== null) {
    warnings.push({
      code: 'config_refused',
      message: `The changed config file cannot be used, and the settings of before stay in force: ${configFault}`,
      fix: textFix('Correct the file. Aspy reads it again at once.'),
      isSevere: false,
    })
  }
  if (!isRecordingOn) {
    warnings.push({
      code: 'lifestats_off',
      message: 'Nothing is recorded.',
      fix: settingFix('Set enabled = true under [lifestats], then restart.', 'lifestats', 'enabled'),
      isSevere: false,
    })
  }
  if (recorder.unpriced_models.length > 0) {
    warnings.push({
      code: 'unpriced_models',
      message: `No price for ${recorder.unpriced_models.join(', ')}: their cost is missing from all totals.`,
      fix: settingFix('Update Aspy to get newer prices, or set your own under [pricing].', 'pricing'),
      isSevere: false,
    })
  }
  return warnings
}
