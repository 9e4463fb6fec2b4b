import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { loadConfig } from '../config/load-config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { defaultDataDir } from '../base/data-folder.ts'

/** The flags that every command takes, as commander gives them. */
export interface CommonFlags {
  readonly data?: string
  readonly config?: string
  readonly port?: number
  readonly proxyPort?: number
  readonly upstream?: string
  readonly demo?: boolean
}

/** Where a command works, and with which settings. */
export interface RunSettings {
  readonly dataDir: string
  readonly loaded: LoadedConfig
  /** Made-up data in a folder of its own, which goes with the app. */
  readonly isDemo: boolean
}

/** Flags and environment turned into a data folder and settings. Throws `bad_input` that names what is wrong. */
export function settingsOfRun(flags: CommonFlags, env: Readonly<Record<string, string | undefined>>): RunSettings {
  const isDemo = flags.demo === true
  if (isDemo && flags.data !== undefined) {
    throw new AspyError('bad_input', '--demo makes a folder of its own: leave --data out')
  }
  const dataDir = isDemo
    ? mkdtempSync(join(tmpdir(), 'aspy-demo-'))
    : resolve(flags.data ?? (env['ASPY_DATA'] || defaultDataDir()))
  const file = flags.config ?? (env['ASPY_CONFIG'] || undefined)
  const loaded = loadConfig({
    file: file === undefined ? join(dataDir, 'config.toml') : resolve(file),
    isFileRequired: file !== undefined,
    env,
    flags: {
      // A demo stands beside the real app: it takes other ports.
      'app.port': flags.port ?? (isDemo ? 0 : undefined),
      'proxy.port': flags.proxyPort ?? (isDemo ? 0 : undefined),
      'proxy.upstream': flags.upstream,
    },
  })
  return { dataDir, loaded, isDemo }
}
