import { homedir } from 'node:os'
import { AspyError } from '../../../shared/contract/errors.ts'
import { counted } from '../../../shared/counted.ts'
import { errorCode, errorMessage } from '../../../shared/error-text.ts'
import { claudeFolder } from '../../clients/claude-code/claude-folder.ts'
import { disconnect } from '../../clients/claude-code/setup/disconnect.ts'
import { codexFolder } from '../../clients/codex/codex-config.ts'
import { disconnectCodex } from '../../clients/codex/setup/setup.ts'
import { findRunningApp } from '../../base/running-app.ts'
import { askKeeper } from '../../keeper/control.ts'
import type { JsonFlag } from '../flags.ts'
import { typedHere } from '../../base/folder-of-run.ts'
import { print } from '../print-all.ts'
import { serviceManagerHere } from '../service-manager-here.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { join } from 'node:path'

const goesOnText = (minutes: number | null | undefined) =>
  `Clients that run now go on through Aspy. Aspy ends once none has used it for ${minutes ? counted(minutes, 'minute') : 'a day'}`

/** `aspy off`: sends no further client through Aspy. Works without a data folder, too. */
export async function off({ dataDir }: Pick<RunSettings, 'dataDir'>, { json = false }: JsonFlag): Promise<void> {
  const here = (command: string) => typedHere(`aspy ${command}`, dataDir)
  const faults: string[] = []
  // What cannot be changed must not keep the rest as it is.
  const attempt = (file: string, undo: () => readonly string[]) => {
    try {
      return undo()
    } catch (error) {
      if (!(error instanceof AspyError) && errorCode(error) === null) throw error
      const why = errorMessage(error)
      faults.push(error instanceof AspyError ? why : `${file} cannot be written (${why}); take Aspy's lines out of it`)
      return []
    }
  }
  const codex = codexFolder(process.env, homedir())
  const file = join(claudeFolder(process.env, homedir()), 'settings.json')
  const done = [...attempt(codex, () => disconnectCodex(codex)), ...attempt(file, () => disconnect(dataDir, file))]
  const services = serviceManagerHere()
  if (services !== null && (await services.disable())) done.push(`no longer starts at login: ${services.file}`)
  const keeper = await askKeeper(dataDir, 'off')
  const isRunning = keeper !== null || (await findRunningApp(dataDir)) !== null
  const isStopped = keeper?.state === 'stopped'
  // A keeper without an app has no client that it knows of.
  const goesOn = goesOnText(isStopped ? null : keeper?.leavesAfterMinutes)
  const nothing = faults.length === 0 ? ['No setting sends clients through Aspy.'] : []
  const lines = [
    ...(done.length === 0
      ? nothing
      : [
          ...done,
          `What is recorded stays. ${here('run')} still records one client; ${here('setup')} connects all again.`,
        ]),
    ...(isRunning ? [isStopped ? `${goesOn}.` : `${goesOn}; ${here('stop')} ends recording now.`] : []),
  ]
  if (json || lines.length > 0) print({ json: { done, running: isRunning }, text: lines.join('\n') }, json)
  if (faults.length > 0) throw new AspyError('conflict', faults.join('\n'))
}
