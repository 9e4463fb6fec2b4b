import { join } from 'node:path'
import { packageRoot } from '../app-files.ts'
import type { PluginPlaces } from '../claude-code/setup/plugin-files.ts'
import { readKey, type RunningApp } from '../data-folder.ts'
import { ownCommand } from './own-command.ts'
import type { RunSettings } from './settings-of-run.ts'

/** What the plugin is told of this machine: where the app is, or will be by its settings. */
export function pluginPlaces({ dataDir, loaded }: RunSettings, running: RunningApp | null): PluginPlaces {
  const port = running?.ports.app ?? loaded.config.app.port
  return {
    source: join(packageRoot(), 'resources', 'claude-plugin'),
    aspy: ownCommand(),
    dataDir,
    hooksUrl: `http://127.0.0.1:${port}/api/hooks`,
    hooksKey: readKey(dataDir, 'hooks') ?? '',
  }
}
