import { resolve } from 'node:path'
import { defaultDataDir } from './default-data-dir.ts'
import { shellQuoted } from './shell-quoted.ts'
import { asTyped, typedCommand, withTyped } from './typed-command.ts'

/** The environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Resolves flags and environment to a data folder. */
export const folderOfRun = (flags: { readonly data?: string }, env: Env): { readonly dataDir: string } => ({
  dataDir: resolve(flags.data ?? (env['ASPY_DATA'] || defaultDataDir())),
})

/** Names a folder other than the usual one, for a command that would look there otherwise. */
export const folderOption = (dataDir: string): string =>
  folderOfRun({}, process.env).dataDir === dataDir ? '' : ` --data ${shellQuoted(dataDir)}`

/** Returns what to type for a command, such as `aspy stop`, on a folder, in a terminal as this one. */
export const typedHere = (command: string, dataDir: string): string => asTyped(command) + folderOption(dataDir)

/** Returns the data folder that the line of a command names, or the usual one. */
function givenFolder(line: readonly string[]): string {
  const own = line.slice(0, line.includes('--') ? line.indexOf('--') : line.length)
  const data = own.findLastIndex((word) => /^--data(?:=|$)/.test(word))
  const named = own[data]?.split('=').slice(1).join('=') || own[data + 1]
  return folderOfRun(data === -1 || named === undefined ? {} : { data: named }, process.env).dataDir
}

/** Returns a sentence with each command that it names as it is typed for a folder, by default that of this command. */
export const withTypedHere = (text: string, dataDir: string = givenFolder(process.argv.slice(2))): string =>
  withTyped(text, typedCommand(), folderOption(dataDir))
