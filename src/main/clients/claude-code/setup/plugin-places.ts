import { join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { packageRoot } from '../../../base/app-files.ts'
import { createDataDir, loadKeys, readKey } from '../../../base/data-folder.ts'
import type { PluginPlaces } from './plugin-files.ts'

interface Here {
  readonly dataDir: string
  /** The command that starts `aspy`. */
  readonly aspy: PluginPlaces['aspy']
  /** The app's port, or the port in its settings if it is not running. */
  readonly appPort: number
  /** The setting `[files] watch_changes`. */
  readonly watchesFiles: boolean
}

/** Returns the plugin's values for this machine, without creating anything. */
export function pluginPlaces({ dataDir, aspy, appPort, watchesFiles }: Here): PluginPlaces {
  return {
    source: join(packageRoot(), 'resources', 'claude-plugin'),
    aspy,
    dataDir,
    hooksUrl: `http://127.0.0.1:${appPort}/api/hooks`,
    hooksKey: readKey(dataDir, 'hooks') ?? '',
    watchesFiles,
  }
}

/** Throws `bad_input` if the app's port is any that is free, since hooks name it. */
export function requireFixedPort(appPort: number): void {
  if (appPort === 0)
    throw new AspyError('bad_input', 'hooks need a fixed app port, but it is 0 (any free port); set [app] port')
}

/** Does the same before an installation: creates the data folder and its keys. Throws `bad_input` without a fixed port. */
export function preparePluginPlaces(here: Here): PluginPlaces {
  requireFixedPort(here.appPort)
  createDataDir(here.dataDir)
  loadKeys(here.dataDir)
  return pluginPlaces(here)
}
