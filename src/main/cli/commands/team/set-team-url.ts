import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { editToml } from '../../../config/edit-toml.ts'
import { findApp } from '../../wake-app.ts'
import { replaceFile } from '../../../base/replace-file.ts'
import { overHttp } from '../../client.ts'
import type { RunSettings } from '../../settings-of-run.ts'

/** Changes a setting under `[team]`: through the running app, which applies it at once, or in the config file. */
export async function setTeamSetting(settings: RunSettings, key: string, value: unknown): Promise<void> {
  const app = await findApp(settings.dataDir)
  if (app !== null) {
    await overHttp(app, settings.dataDir).call('config.set', { key: `team.${key}`, value })
    return
  }
  const { file } = settings.loaded.sources
  const edited = editToml(existsSync(file) ? readFileSync(file, 'utf8') : '', { section: 'team', key, value })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(file, edited)
}
