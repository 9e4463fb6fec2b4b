import { resolve } from 'node:path'
import { defaultDataDir } from '../base/default-data-dir.ts'

/** The environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Resolves flags and environment to a data folder. */
export function folderOfRun(flags: { readonly data?: string }, env: Env): { readonly dataDir: string } {
  return { dataDir: resolve(flags.data ?? (env['ASPY_DATA'] || defaultDataDir())) }
}
