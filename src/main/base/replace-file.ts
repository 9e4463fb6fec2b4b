import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'

export type JsonRecord = Record<string, unknown>

/**
 * Claude Code's `settings.json`, read to be changed: `{}` where there is none. Throws where it is no JSON object: a file
 * that we cannot read whole is never rewritten.
 */
export function readSettings(file: string): JsonRecord {
  if (!existsSync(file)) return {}
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  const value = parse(file, text)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new AspyError('bad_input', `${file} holds no JSON object: mend it, then run this again; nothing was changed`)
  }
  return value as JsonRecord
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AspyError('bad_input', `${file} is not JSON (${why}): mend it, then run this again; nothing was changed`)
  }
}

/** Writes settings in one step, with the file's own indent. */
export function writeSettings(file: string, settings: JsonRecord): void {
  mkdirSync(dirname(file), { recursive: true })
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const indent = /\n([ \t]+)"/.exec(before)?.[1] ?? '  '
  replaceFile(file, `${JSON.stringify(settings, null, indent)}\n`)
}

/** Replaces a file in one step: beside it, then renamed over it, its mode and its place behind a link kept. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const exists = existsSync(file)
  const target = exists ? realpathSync(file) : file
  const aside = join(dirname(target), `.${basename(target)}-${process.pid}`)
  try {
    writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
    if (exists) chmodSync(aside, statSync(target).mode & 0o777)
    renameSync(aside, target)
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Where what was there before our first change lies. */
export const backupOf = (file: string): string => `${file}.before-aspy`

export function keepBackup(file: string): void {
  if (existsSync(file)) copyFileSync(realpathSync(file), backupOf(file))
}
