import {
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
import { dirname, join } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'

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

/**
 * Writes settings in one step: beside the file, then renamed over it, with the file's own mode, indent and place behind a
 * link kept. What was there lies in `settings.json.before-aspy` from the first change on.
 */
export function writeSettings(file: string, settings: JsonRecord): void {
  mkdirSync(dirname(file), { recursive: true })
  const exists = existsSync(file)
  const target = exists ? realpathSync(file) : file
  const before = exists ? readFileSync(target, 'utf8') : ''
  if (exists && !existsSync(backupOf(file))) copyFileSync(target, backupOf(file))
  const indent = /\n([ \t]+)"/.exec(before)?.[1] ?? '  '
  const aside = join(dirname(target), `.settings-${process.pid}.json`)
  try {
    writeFileSync(aside, `${JSON.stringify(settings, null, indent)}\n`, {
      mode: exists ? statSync(target).mode & 0o777 : 0o600,
      flag: 'wx',
    })
    renameSync(aside, target)
  } finally {
    rmSync(aside, { force: true })
  }
}

export const backupOf = (file: string): string => `${file}.before-aspy`
