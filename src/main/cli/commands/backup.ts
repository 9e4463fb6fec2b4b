import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { findRunningApp } from '../../base/running-app.ts'
import { restoreBackup } from '../../store/restore.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { followed, showProgress, withApp } from '../with-app.ts'
import { print } from '../print-all.ts'

/** `aspy backup PATH`: writes one file with everything that a restore needs. */
export async function backup(settings: RunSettings, path: string, { json: asJson = false }: JsonFlag): Promise<void> {
  const folder = dirname(resolve(path))
  if (!existsSync(folder))
    throw new AspyError('bad_input', `there is no folder ${folder}; create it, or choose another file`)
  if (/[/\\]$/.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new AspyError('bad_input', `${path} is a folder; name a file in it, such as ${join(path, 'aspy.backup')}`)
  await withApp(settings, async (client) => {
    const reports = client.stream('store.backup', { path: resolve(path) })
    const line = ({ pages, pages_done }: OperationOutput<'store.backup'>) =>
      `${count(pages_done)} of ${count(pages)} pages`
    const last = await followed('the backup', reports, asJson ? null : line)
    const text = `${last.path}: ${counted(last.bytes, 'byte')}. It contains all recorded data, so keep it private.`
    print({ json: last, text: text }, asJson)
  })
}

/** `aspy restore PATH`: replaces the data with a backup. Refused while an app is running on it. */
export async function restore({ dataDir, loaded }: RunSettings, path: string, { json: asJson = false }: JsonFlag) {
  const running = await findRunningApp(dataDir)
  if (running !== null) {
    throw new AspyError(
      'already_running',
      `Aspy is running on ${dataDir} (pid ${running.pid}); stop it with aspy stop before you restore`,
    )
  }
  const { lifestats } = loaded.config
  const databasePath = resolve(dataDir, lifestats.db_path)
  const restored = restoreBackup({
    backup: resolve(path),
    dataDir,
    databasePath,
    limits: lifestats,
    onStage: asJson ? () => undefined : showProgress,
  })
  if (!asJson) showProgress(null)
  const lines = [
    `Restored ${counted(restored.events, 'event')}.`,
    ...(restored.left_out > 0
      ? [`Deleted after this backup, and not restored: ${counted(restored.left_out, 'session')}.`]
      : []),
    ...(restored.kept === null ? [] : [`The previous data is in ${restored.kept}.`]),
  ]
  print({ json: restored, text: lines.join('\n') }, asJson)
}
