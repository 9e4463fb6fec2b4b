import { homedir } from 'node:os'
import { claudeFolder } from '../../clients/claude-code/claude-folder.ts'
import { disconnect } from '../../clients/claude-code/setup/disconnect.ts'
import { codexFolder } from '../../clients/codex/codex-config.ts'
import { disconnectCodex } from '../../clients/codex/setup/setup.ts'
import { findRunningApp } from '../../base/running-app.ts'
import { askKeeper } from '../../keeper/control.ts'
import type { JsonFlag } from '../flags.ts'
import { serviceManagerHere } from '../service-manager-here.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { join } from 'node:path'

const GOES_ON =
  'Clients that run now go on through Aspy. It ends by itself once none has used it for a day; aspy stop ends recording now.'

/** `aspy off`: sends no further client through Aspy. Works without a data folder, too. */
export async function off({ dataDir }: Pick<RunSettings, 'dataDir'>, { json = false }: JsonFlag): Promise<void> {
  const done = [
    ...disconnectCodex(codexFolder(process.env, homedir())),
    ...disconnect(dataDir, join(claudeFolder(process.env, homedir()), 'settings.json')),
  ]
  const services = serviceManagerHere()
  if (services !== null && (await services.disable())) done.push(`no longer starts at login: ${services.file}`)
  const isRunning = (await askKeeper(dataDir, 'off')) !== null || (await findRunningApp(dataDir)) !== null
  if (json) return console.log(JSON.stringify({ done, running: isRunning }))
  console.log(done.length === 0 ? 'No setting sends clients through Aspy.' : done.join('\n'))
  if (isRunning) console.log(GOES_ON)
}
