import { createSettingsInForce, editedFile, NO_FOLLOWERS } from '../config/settings-in-force.ts'
import { overHttp } from './client.ts'
import type { RunSettings } from './settings-of-run.ts'
import { findApp } from './wake-app.ts'

/** Changes a setting: through the running app, which applies it at once if it can, or in the config file. */
export async function putSetting({ dataDir, loaded }: RunSettings, key: string, value: unknown) {
  const app = await findApp(dataDir)
  const set =
    app === null
      ? await createSettingsInForce(loaded, NO_FOLLOWERS).set(key, value)
      : await overHttp(app, dataDir).call('config.set', { key, value })
  return { set, isRunning: app !== null }
}

/** Throws what `putSetting` would, and changes nothing: a running app is given the text that it has. */
export async function assertSettable(settings: RunSettings, key: 'team.url', value: string): Promise<void> {
  editedFile(settings.loaded, key, value)
  await putSetting(settings, key, settings.loaded.config.team.url || null)
}
