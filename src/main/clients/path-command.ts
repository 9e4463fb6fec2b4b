import { chmodSync, constants, lstatSync, readFileSync, rmSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { mayAccess } from '../base/may-access.ts'
import { replaceFile } from '../base/replace-file.ts'
import { shellQuoted } from '../base/shell-quoted.ts'
import { makeFolder, readSetupRecord, removeFolders, writeSetupRecord } from './claude-code/setup/setup-record.ts'

/** What decides where the command is put, and what it starts. */
export interface CommandPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The program and the script that it starts. */
  readonly aspy: readonly [string, ...string[]]
  readonly platform?: NodeJS.Platform
}

type CommandState = NonNullable<NonNullable<OperationOutput<'claude_code.status'>['state']>['command']>

/** Returns the state of the `aspy` command in the person's own folder for commands. Changes nothing. */
export function commandState(dataDir: string, place: CommandPlace): CommandState {
  const { file, folder, text, own } = wanted(dataDir, place)
  const found = textOf(file)
  const shape = (state: CommandState['state'], note: string | null) => ({ state, file, note })
  if (text === null) return shape('absent', NO_LETTERS)
  if (found === null) return shape('absent', null)
  if (found === text) return shape('installed', noteOn(place, folder, file))
  return found === own
    ? shape('out_of_date', null)
    : shape('not_ours', 'It is not what Aspy wrote there, so it is left alone.')
}

/** Puts the command there, or brings it up to date. Throws `conflict` if the file is somebody else's. */
export function putCommand(dataDir: string, place: CommandPlace): string[] {
  const { file, folder, text, own } = wanted(dataDir, place)
  if (text === null) throw new AspyError('conflict', NO_LETTERS)
  const found = textOf(file)
  if (found === text) return []
  if (found !== null && found !== own)
    throw new AspyError('conflict', `${file} was not written by Aspy, so it is left alone; move it away and try again`)
  makeFolder(dataDir, folder)
  const before = readSetupRecord(dataDir)
  // Recorded first: what is interrupted can be undone.
  writeSetupRecord(dataDir, { ...before, command: { file, text } })
  try {
    replaceFile(file, text)
  } catch (error) {
    writeSetupRecord(dataDir, before)
    throw error
  }
  chmodSync(file, 0o755)
  return [`command: ${file}`]
}

/** Removes the command that was put there, unless it was changed since, and the folders that were made for it. */
export function removeCommand(dataDir: string): string[] {
  const record = readSetupRecord(dataDir)
  const { command } = record
  if (command === null) return []
  const found = textOf(command.file)
  const isOurs = found === command.text
  if (isOurs) rmSync(command.file)
  writeSetupRecord(dataDir, { ...record, command: null })
  removeFolders(dataDir)
  if (found === null) return []
  return [isOurs ? `removed: ${command.file}` : `left as it is: ${command.file}, which was changed since`]
}

const NO_LETTERS =
  'cmd.exe cannot read the path of this app: it has letters beyond ASCII. Install it in another folder, or with npm.'

/** Returns the text of a file; null if there is none. What is not a file, or cannot be read, has another text than ours. */
function textOf(file: string): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return null
  return found.isFile() && mayAccess(file, constants.R_OK) ? readFileSync(file, 'utf8') : ''
}

/** Returns where the command is, or else belongs, and what is to be in it. An app from a desktop may have another PATH. */
function wanted(dataDir: string, place: CommandPlace) {
  const { command } = readSetupRecord(dataDir)
  const isWindows = platformOf(place) === 'win32'
  const { dirname, join } = pathsOf(place)
  const isThere = command !== null && textOf(command.file) !== null
  const file = isThere ? command.file : join(commandFolder(place), isWindows ? 'aspy.cmd' : 'aspy')
  const folder = dirname(file)
  const text = isWindows ? cmdText(folder, place.aspy) : shText(place.aspy)
  return { folder, file, text, own: isThere ? command.text : null }
}

const platformOf = ({ platform = process.platform }: CommandPlace) => platform
const pathsOf = (place: CommandPlace) => (platformOf(place) === 'win32' ? win32 : posix)

/** Returns the folder: of those that a person has for commands, the first on the PATH. */
function commandFolder(place: CommandPlace): string {
  const { env, home } = place
  // Windows itself puts this one on each person's PATH.
  if (platformOf(place) === 'win32')
    return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'Microsoft', 'WindowsApps')
  const own = [posix.join(home, '.local/bin'), posix.join(home, 'bin')]
  return own.find((folder) => folders(place).includes(folder)) ?? own[0] ?? home
}

/** Returns the folders of the PATH, which Windows calls Path, and in which it allows quotes. */
const folders = (place: CommandPlace): readonly string[] =>
  (place.env['PATH'] ?? place.env['Path'] ?? '')
    .split(pathsOf(place).delimiter)
    .map((folder) => folder.replaceAll('"', '').replace(/(?<=.)[\\/]+$/, ''))
    .filter((folder) => folder !== '')

/** Returns what a person has to know about an installed command; null if typing `aspy` starts it. */
function noteOn(place: CommandPlace, folder: string, file: string): string | null {
  const isWindows = platformOf(place) === 'win32'
  const same = (name: string) => (isWindows ? name.toLowerCase() : name) === (isWindows ? folder.toLowerCase() : folder)
  const path = folders(place)
  const at = path.findIndex(same)
  if (at === -1) {
    const add = isWindows ? 'Add it to the PATH in the settings of Windows' : 'If a terminal does not find aspy, add'
    const line = isWindows ? '' : ` export PATH="${folder}:$PATH" to the start-up file of your shell`
    return `${folder} is not on the PATH that this app was started with. ${add}${line}.`
  }
  const names = isWindows ? ['aspy.exe', 'aspy.cmd', 'aspy.bat'] : ['aspy']
  const first = path
    .slice(0, at)
    .flatMap((other) => names.map((name) => pathsOf(place).join(other, name)))
    .find((other) => other !== file && mayAccess(other, constants.X_OK))
  return first === undefined ? null : `A terminal finds ${first} first, which is earlier on the PATH.`
}

const shText = (command: readonly string[]) =>
  `#!/bin/sh\n# Written by Aspy: Settings, or aspy setup --undo, removes it.\nexec ${command.map((word) => shellQuoted(word, 'linux')).join(' ')} "$@"\n`

/**
 * Returns a file for cmd.exe in the form of npm, whose paths begin at its own folder: the name of the person, which may
 * have any letters, then is not in it. Null if letters are left that cmd.exe may read wrongly.
 */
function cmdText(folder: string, command: readonly string[]): string | null {
  const words = command.map((path) => {
    const relative = win32.relative(folder, path)
    return `"${win32.isAbsolute(relative) ? '' : '%~dp0'}${relative.replaceAll('%', '%%')}"`
  })
  const text = `@${words.join(' ')} %*\r\n`
  return /^[\x20-\x7e]+\r\n$/.test(text) ? text : null
}
