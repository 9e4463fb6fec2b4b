import { join, resolve } from 'node:path'
import { loadConfig } from '../config/load-config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { defaultDataDir } from '../data-folder.ts'

/** The flags that every command takes, as commander gives them. */
export interface CommonFlags {
  readonly data?: string
  readonly config?: string
  readonly port?: number
  readonly proxyPort?: number
  readonly upstream?: string
}

/** Where a command works, and with which settings. */
export interface RunSettings {
  readonly dataDir: string
  readonly loaded: LoadedConfig
}

/** Flags and environment turned into a data folder and settings. Throws `bad_input` that names what is wrong. */
export function settingsOfRun(flags: CommonFlags, env: Readonly<Record<string, string | undefined>>): RunSettings {
  const dataDir = resolve(flags.data ?? (env['ASPY_DATA'] || defaultDataDir()))
  const file = flags.config ?? (env['ASPY_CONFIG'] || undefined)
  const loaded = loadConfig({
    file: file === undefined ? join(dataDir, 'config.toml') : resolve(file),
    isFileRequired: file !== undefined,
    env,
    flags: { 'app.port': flags.port, 'proxy.port': flags.proxyPort, 'proxy.upstream': flags.upstream },
  })
  return { dataDir, loaded }
}
