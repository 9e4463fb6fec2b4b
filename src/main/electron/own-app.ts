import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import { createApp, type App } from '../app.ts'
import { loadConfig } from '../config/load-config.ts'
import { createDataDir } from '../base/data-folder.ts'
import type { OpenedApp } from './door.ts'
import { packedCommand } from './packed-command.ts'

/** Starts the app in this process. Loaded only if no other process serves the data. */
export async function openOwnApp(options: {
  readonly dataDir: string
  readonly windowDir: string
  readonly version: string
}): Promise<OpenedApp & { readonly app: App }> {
  const { dataDir, windowDir, version } = options
  createDataDir(dataDir)
  const app = createApp({
    dataDir,
    windowDir,
    version,
    config: loadConfig({ file: resolve(process.env['ASPY_CONFIG'] || join(dataDir, 'config.toml')), env: process.env }),
    logger: pino({ level: 'info' }, pino.destination({ dest: join(dataDir, 'aspy.log'), mode: 0o600 })),
    claudeCode: {
      env: process.env,
      home: homedir(),
      aspy: packedCommand({ resources: process.resourcesPath, platform: process.platform, env: process.env }),
    },
  })
  const started = await app.start()
  return {
    app,
    dispatch: app.dispatch,
    kind: 'own',
    ports: { proxy: portOf(started.proxy), app: portOf(started.app) },
    stop: () => app.stop(),
    isThere: async () => true,
  }
}

const portOf = (url: string) => Number(new URL(url).port)
