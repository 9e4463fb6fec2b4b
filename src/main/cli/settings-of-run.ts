import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { loadConfig, type ConfigSources, type LoadedConfig } from '../config/load-config.ts'
import { folderOfRun, type Env } from '../base/folder-of-run.ts'

/** The flags that every command accepts, as commander returns them. */
export interface CommonFlags {
  readonly data?: string
  readonly config?: string
  readonly port?: number
  readonly proxyPort?: number
  readonly tunnelPort?: number
  readonly upstream?: string
  readonly demo?: boolean
  readonly json?: boolean
}

/** The data folder and settings of a command. */
export interface RunSettings {
  readonly dataDir: string
  readonly loaded: LoadedConfig
  /** Uses sample data in a temporary folder, which is removed when the app stops. */
  readonly isDemo: boolean
  /** Prints JSON, beside which standard error is empty. */
  readonly isJson?: boolean | undefined
  /** What is wrong with the config file: the defaults are in its place. Only for commands that accept one that is wrong. */
  readonly fault?: string
}

/** What the demo has set, so that its budget and its guard have something to show. It spends far less. */
const DEMO_CONFIG = '[guard]\nsession_usd = 1\nday_usd = 2\n\n[budgets]\nmonthly_usd = 20\n'

/** Creates the folder of a demo. It is removed when the process ends, even if the app has not started. */
function demoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-demo-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'config.toml'), DEMO_CONFIG)
  return folder
}

/**
 * Resolves flags and environment to a data folder and settings. If a setting is invalid, reading `loaded` throws `bad_input`:
 * a command that the running app serves needs no settings. With `acceptsFault`, the defaults are in their place.
 */
export function settingsOfRun(flags: CommonFlags, env: Env, acceptsFault = false): RunSettings {
  const isDemo = flags.demo === true
  if (isDemo && flags.data !== undefined)
    throw new AspyError('bad_input', '--demo uses a temporary folder and cannot be combined with --data')
  const dataDir = isDemo ? demoFolder() : folderOfRun(flags, env).dataDir
  const file = flags.config ?? (env['ASPY_CONFIG'] || undefined)
  const sources: ConfigSources = {
    file: file === undefined ? join(dataDir, 'config.toml') : resolve(file),
    isFileRequired: file !== undefined,
    env,
    flags: {
      // A demo can run next to the real app, so it uses free ports.
      'app.port': flags.port ?? (isDemo ? 0 : undefined),
      'proxy.port': flags.proxyPort ?? (isDemo ? 0 : undefined),
      'proxy.tunnel_port': flags.tunnelPort ?? (isDemo ? 0 : undefined),
      'proxy.upstream': flags.upstream,
    },
  }
  try {
    return { dataDir, loaded: loadConfig(sources), isDemo, isJson: flags.json }
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    if (!acceptsFault)
      return {
        dataDir,
        isDemo,
        get loaded(): LoadedConfig {
          throw error
        },
      }
    const loaded = loadConfig({ ...sources, file: '', isFileRequired: false })
    return { dataDir, loaded, isDemo, fault: error.message }
  }
}
