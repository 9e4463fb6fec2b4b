import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { errorCode } from '../../shared/error-text.ts'
import { parseLooseJson } from '../base/edit-json.ts'
import { readSettings, replaceFile } from '../base/replace-file.ts'
import type { ChangedFile, Decisions } from './decisions.ts'
import { isSet, settingsIn, sidesOf, textOf, withoutSettings, withSettings } from './settings-change.ts'

/** A repository's own settings name programs that git would run. */
const NO_PROGRAMS = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
const GIT_MS = 2000

/** Makes the change that a diff shows. Throws `conflict` if the file has changed since, or if git tracks it. */
export function applyDiff(path: string, diff: string, decisions: Decisions): ChangedFile {
  const { before, after } = sidesOf(diff)
  if (textOf(path) !== before) throw new AspyError('conflict', `${path} has changed; list the suggestions again`)
  if (isTracked(path)) {
    throw new AspyError(
      'conflict',
      `git tracks ${path}, so Aspy does not change it; make the change that is shown by hand`,
    )
  }
  const others = appliedTo(path, decisions)
  const made: ChangedFile = { path, original: originalOf(path, before, others), set: settingsIn(before, after) }
  mkdirSync(dirname(path), { recursive: true })
  replaceFile(path, after)
  return made
}

/** Takes a change back. Returns a note if the file was edited since, so that only our values were removed. */
export function undoChange(file: ChangedFile, decisions: Decisions): string | null {
  const { path } = file
  const text = textOf(path)
  const all = appliedTo(path, decisions)
  const rest = all.filter(({ set }) => set !== file.set)
  if (text === rendered(file.original, all)) {
    restore(path, rest.length === 0 ? file.original : rendered(file.original, rest))
    return null
  }
  const settings = readSettings(path, parseLooseJson)
  if (!file.set.some((one) => isSet(settings, one))) return `${path} was edited: the setting is not there any more`
  replaceFile(path, withoutSettings(text, file))
  return `${path} was edited since: only the setting was taken back`
}

/** The changes that are made to a file, in their order. */
const appliedTo = (path: string, decisions: Decisions): readonly ChangedFile[] =>
  Object.values(decisions)
    .filter(({ state, file }) => state === 'applied' && file?.path === path)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .flatMap(({ file }) => file ?? [])

/** Returns the text of the file without any change of ours; null if there was no file. */
function originalOf(path: string, text: string, others: readonly ChangedFile[]): string | null {
  const [first] = others
  if (first === undefined) return existsSync(path) ? text : null
  if (text === rendered(first.original, others)) return first.original
  return others.reduce(withoutSettings, text)
}

const rendered = (original: string | null, changes: readonly ChangedFile[]): string =>
  changes.reduce((text, { set }) => withSettings(text, set) ?? text, original ?? '')

function restore(path: string, text: string | null): void {
  if (text !== null) {
    replaceFile(path, text)
    return
  }
  rmSync(path)
  try {
    rmdirSync(dirname(path))
  } catch (error) {
    // The folder has other files, which stay.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
  }
}

function isTracked(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    const words = [...NO_PROGRAMS, '-C', dirname(path), 'ls-files', '--error-unmatch', '--', path]
    execFileSync('git', words, { stdio: 'ignore', timeout: GIT_MS })
    return true
  } catch (error) {
    // Not tracked, not a repository, or no git at all. Who cannot tell in time leaves the file alone.
    return errorCode(error) === 'ETIMEDOUT'
  }
}
