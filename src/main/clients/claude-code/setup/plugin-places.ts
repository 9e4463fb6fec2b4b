import { join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { packageRoot } from '../../../base/app-files.ts'
import { createDataDir, loadKeys, readKey } from '../../../base/data-folder.ts'
import type { PluginPlaces } from './plugin-files.ts'

interface Here {
  readonly dataDir: string
  /** How `aspy` is started here. */
  readonly aspy: PluginPlaces['aspy']
  /** Where the app listens, or will by its settings. */
  readonly appPort: number
}

/** What the plugin is told of this machine, as it is now; nothing is made. */
export function pluginPlaces({ dataDir, aspy, appPort }: Here): PluginPlaces {
  return {
    source: join(packageRoot(), 'resources', 'claude-plugin'),
    aspy,
    dataDir,
    hooksUrl: `http://127.0.0.1:${appPort}/api/hooks`,
    hooksKey: readKey(dataDir, 'hooks') ?? '',
  }
}

/** The same before an installation: the data folder and its keys are made. Throws `bad_input` where no port is fixed. */
export function preparePluginPlaces(here: Here): PluginPlaces {
  if (here.appPort === 0) {
    throw new AspyError('bad_input', 'the port of the app is 0 (any): hooks need a fixed one, set [app] port')
  }
  createDataDir(here.dataDir)
  loadKeys(here.dataDir)
  return pluginPlaces(here)
}
