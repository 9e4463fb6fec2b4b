import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { findRunningApp } from '../../base/data-folder.ts'
import { restoreBackup } from '../../store/restore.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

/** `aspy backup PATH`: one file that holds all that is needed to restore. */
export async function backup(settings: RunSettings, path: string, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    let last: OperationOutput<'store.backup'> | null = null
    for await (const progress of client.stream('store.backup', { path: resolve(path) })) {
      last = progress
      if (!asJson) tellProgress(`${count(progress.pages_done)} of ${count(progress.pages)} pages`)
    }
    if (!asJson) tellProgress(null)
    if (last === null || !last.done) throw new AspyError('internal', 'the backup ended before it was done')
    const text = `${last.path}: ${count(last.bytes)} bytes. It holds all that was recorded: keep it where only you can read it.`
    process.stdout.write(`${asJson ? JSON.stringify(last) : text}\n`)
  })
}

/** `aspy restore PATH`: only while no app runs on the data. */
export async function restore({ dataDir, loaded }: RunSettings, path: string, asJson: boolean): Promise<void> {
  const running = await findRunningApp(dataDir)
  if (running !== null) {
    throw new AspyError('already_running', `Aspy serves ${dataDir} (pid ${running.pid}): stop it, then restore`)
  }
  const { lifestats } = loaded.config
  const databasePath = resolve(dataDir, lifestats.db_path)
  const restored = restoreBackup({
    backup: resolve(path),
    dataDir,
    databasePath,
    limits: lifestats,
    onStage: asJson ? () => undefined : tellProgress,
  })
  if (!asJson) tellProgress(null)
  const lines = [
    `${count(restored.events)} events are restored.`,
    ...(restored.left_out > 0 ? [`${count(restored.left_out)} sessions that were deleted since stay deleted.`] : []),
    ...(restored.kept === null ? [] : [`What was there before lies in ${restored.kept}.`]),
  ]
  process.stdout.write(`${asJson ? JSON.stringify(restored) : lines.join('\n')}\n`)
}
