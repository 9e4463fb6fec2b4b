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
import { errorMessage } from '../../shared/error-text.ts'

export type JsonRecord = Record<string, unknown>

/**
 * Reads Claude Code's `settings.json` for a change; `{}` if there is no file. Throws if it is not a JSON object: a file
 * that cannot be parsed is never rewritten.
 */
export function readSettings(file: string): JsonRecord {
  if (!existsSync(file)) return {}
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  const value = parse(file, text)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new AspyError('bad_input', `${file} is not a JSON object; correct it and run this again. Nothing was changed`)
  }
  return value as JsonRecord
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = errorMessage(error)
    throw new AspyError(
      'bad_input',
      `${file} is not valid JSON (${why}); correct it and run this again. Nothing was changed`,
    )
  }
}

/** Writes settings atomically, with the file's own indentation. */
export function writeSettings(file: string, settings: JsonRecord): void {
  mkdirSync(dirname(file), { recursive: true })
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const indent = /\n([ \t]+)"/.exec(before)?.[1] ?? '  '
  replaceFile(file, `${JSON.stringify(settings, null, indent)}\n`)
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
