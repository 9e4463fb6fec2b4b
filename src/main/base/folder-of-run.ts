import { resolve } from 'node:path'
import { defaultDataDir } from './default-data-dir.ts'
import { shellQuoted } from './shell-quoted.ts'
import { asTyped } from './typed-command.ts'

/** The environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Resolves flags and environment to a data folder. */
export function folderOfRun(flags: { readonly data?: string }, env: Env): { readonly dataDir: string } {
  return { dataDir: resolve(flags.data ?? (env['ASPY_DATA'] || defaultDataDir())) }
}

/** Names a folder other than the usual one, for a command that would look there otherwise. */
export const folderOption = (dataDir: string): string =>
  folderOfRun({}, process.env).dataDir === dataDir ? '' : ` --data ${shellQuoted(dataDir)}`

/** Returns what to type for a command, such as `aspy stop`, on a folder, in a terminal as this one. */
export const typedHere = (command: string, dataDir: string): string => asTyped(command) + folderOption(dataDir)
