import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { DAY_MS } from '../../../shared/time-units.ts'
import { readTunnelKey } from '../../base/installed-tunnel-key.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import { undoFull } from '../../clients/claude-code/setup/full.ts'
import { undoSetUp } from '../../clients/claude-code/setup/setup.ts'
import { readSetupRecord } from '../../clients/claude-code/setup/setup-record.ts'
import { statusLinesHere } from '../../clients/claude-code/status-line-setting.ts'
import { undoCodex } from '../../clients/codex/setup/setup.ts'
import { askKeeper } from '../../keeper/control.ts'
import { serviceManagerHere } from '../service-manager-here.ts'
import type { RunSettings } from '../settings-of-run.ts'

/** Undoes everything that setup changed. Returns what was done. */
export async function undo({ dataDir }: RunSettings): Promise<string[]> {
  const isUsed = await leaveToClients(dataDir)
  return [
    ...undoCodex(dataDir),
    ...(await undoFull(dataDir, serviceManagerHere(), isUsed)),
    ...undoSetUp(dataDir),
    ...(isUsed ? [GOES_ON] : []),
  ]
}

const GOES_ON =
  'Clients that run now go on through Aspy. Aspy ends once none has used it for a day. Then run this again: it removes what they need, too.'

/** Returns whether clients that run may use what setup started: then it ends once none has used it for a day. */
async function leaveToClients(dataDir: string): Promise<boolean> {
  if (!readSetupRecord(dataDir).service && readTunnelKey(dataDir) === null) return false
  const { usedAt = null } = (await askKeeper(dataDir, 'status')) ?? {}
  if (usedAt === null || Date.now() - Date.parse(usedAt) > DAY_MS) return false
  await askKeeper(dataDir, 'off')
  return true
}

/** Returns lines on what an undo leaves, if there is something. */
export function remains({ dataDir, loaded }: RunSettings): string[] {
  const isRecorded = existsSync(resolve(dataDir, loaded.config.lifestats.db_path))
  const lines = statusLinesHere(homedir()).map(
    (file) => `A status line of yours still runs aspy: take it out of ${file}.`,
  )
  return isRecorded
    ? [
        ...lines,
        withTypedHere(
          `Recordings remain in ${dataDir}. To remove them: aspy stop, aspy stop --now, then delete that folder.`,
          dataDir,
        ),
      ]
    : lines
}
