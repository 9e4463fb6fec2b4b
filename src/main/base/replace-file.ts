import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { whyNotWritten } from './data-folder.ts'
import { editJson } from './edit-json.ts'

export type JsonRecord = Record<string, unknown>

/**
 * Reads Claude Code's `settings.json` for a change; `{}` if there is no file. Throws if it is not a JSON object: a file
 * that cannot be parsed is never rewritten. Claude Code refuses comments; what only takes ours out need not.
 */
export function readSettings(file: string, parse: (text: string) => unknown = JSON.parse): JsonRecord {
  try {
    return parsedSettings(settingsText(file), parse)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new AspyError(
      'bad_input',
      `${file} is not valid JSON (${error.message}); correct it and run this again. Nothing was changed`,
    )
  }
}

/** Parses the text of settings; `{}` if it is empty. Throws `SyntaxError` if it is not a JSON object. */
export function parsedSettings(text: string, parse: (text: string) => unknown = JSON.parse): JsonRecord {
  const plain = text.replace(/^\uFEFF/, '')
  const value = plain.trim() === '' ? {} : parse(plain)
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as JsonRecord
  throw new SyntaxError('it is not a JSON object')
}

/** Returns the text of a settings file; '' if there is none. */
export const settingsText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Sets a value in settings, atomically and with every other byte as it was. undefined removes it. */
export function editSettings(file: string, path: readonly string[], value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  replaceFile(file, editJson(settingsText(file), path, value))
}

/** Replaces a file atomically, by renaming a temporary file over it. Keeps its mode and follows a symbolic link. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const exists = existsSync(file)
  const target = exists ? realpathSync(file) : targetOf(file)
  const aside = join(dirname(target), `.${basename(target)}-${process.pid}`)
  try {
    writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
    if (exists) chmodSync(aside, statSync(target).mode & 0o777)
    renameSync(aside, target)
  } catch (error) {
    throw new AspyError('conflict', `${file} was not changed: ${whyNotWritten(error)}`, { cause: error })
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Returns the target of a link if the target does not exist yet; the path itself if it is not a link. */
function targetOf(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? resolve(dirname(file), readlinkSync(file)) : file
}

/** Returns the path of the copy made before our first change. */
export const backupOf = (file: string): string => `${file}.before-aspy`

export function keepBackup(file: string): void {
  if (existsSync(file)) copyFileSync(realpathSync(file), backupOf(file))
}
