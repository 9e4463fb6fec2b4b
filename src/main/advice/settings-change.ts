import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Advice } from '../../shared/contract/advice.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { editJson, parseLooseJson, valueAt } from '../base/edit-json.ts'
import { compareLines } from '../../shared/line-diff.ts'
import { parsedSettings, type JsonRecord } from '../base/replace-file.ts'
import type { SettingsFix } from './candidate.ts'
import type { ChangedFile } from './decisions.ts'

type Setting = NonNullable<SettingsFix['set']>[number]
const MAX_BYTES = 1_000_000

/** Returns the file that a fix for a project changes: the person's own settings there. Null if there is no such folder. */
function settingsFileOf(project: string | undefined): string | null {
  if (project === undefined || !isAbsolute(project) || !existsSync(project)) return null
  return statSync(project).isDirectory() ? join(project, '.claude', 'settings.local.json') : null
}

/** Returns the text of a settings file; '' if there is none. Throws if it cannot be a file of settings. */
export function textOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return ''
  if (!found.isFile() || found.size > MAX_BYTES) throw new Error(`${file} is not a file of settings`)
  return readFileSync(file, 'utf8')
}

/** Returns the text of settings with values set and every other byte as it was; null if it has them all. */
export function withSettings(text: string, set: readonly Setting[]): string | null {
  const missing = (now: string) => set.find((one) => !isSet(parsedSettings(now), one))
  if (missing(text) === undefined) return null
  let after = text
  for (let one = missing(after); one !== undefined; one = missing(after)) {
    const { path, value, add } = one
    const settings = parsedSettings(after)
    for (const end of path.slice(0, -1).keys()) checkObject(settings, path.slice(0, end + 1))
    const known = valueAt(settings, path)
    const list: readonly unknown[] = Array.isArray(known) ? known : []
    after = editJson(after, path, add === true ? [...list, value] : value)
  }
  return after
}

/** Returns the text with values that were set as they were before, and without objects and lists that this leaves empty. */
export function withoutSettings(text: string, { set, original }: Pick<ChangedFile, 'set' | 'original'>): string {
  const before = parsedSettings(original ?? '', parseLooseJson)
  let left = text
  for (const one of set) {
    const settings = parsedSettings(left, parseLooseJson)
    if (!isSet(settings, one)) continue
    const known = valueAt(settings, one.path)
    const rest = Array.isArray(known) ? known.filter((value) => value !== one.value) : []
    left = editJson(left, one.path, one.add !== true ? valueAt(before, one.path) : rest.length === 0 ? undefined : rest)
  }
  return left
}

/** True if the settings have a value as it was set. */
export function isSet(settings: JsonRecord, { path, value, add }: Setting): boolean {
  const known = valueAt(settings, path)
  return add === true ? Array.isArray(known) && known.includes(value) : isDeepStrictEqual(known, value)
}

const NO_BREAK = '\n\\ No newline at end of file'

/** Writes the change of a whole file as a unified diff. */
function wholeDiff(file: string, before: string, after: string): string {
  const signs = { same: ' ', added: '+', removed: '-' } as const
  // The last break ends a line and begins none. A text without it differs from one with it in its last line.
  const linesOf = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : `${text}\0`).split('\n')
  const lines = compareLines(before === '' ? [] : linesOf(before), linesOf(after))
  const count = (other: 'added' | 'removed') => lines.filter(({ kind }) => kind !== other).length
  const old = before === '' ? '/dev/null' : file
  const range = `@@ -${before === '' ? 0 : 1},${count('added')} +1,${count('removed')} @@`
  const signed = lines.map(({ kind, text }) => `${signs[kind]}${text.replace('\0', NO_BREAK)}`)
  return [`--- ${old}`, `+++ ${file}`, range, ...signed].join('\n')
}

/** Returns the texts that a diff of a whole file is between; '' for a file that does not exist. */
export function sidesOf(diff: string): { readonly before: string; readonly after: string } {
  const lines = diff.split('\n').slice(3)
  const ends = (at: number) => (lines[at + 1]?.startsWith('\\') ? '' : '\n')
  const side = (other: string) =>
    lines.map((line, at) => (line.startsWith(other) || line.startsWith('\\') ? '' : line.slice(1) + ends(at))).join('')
  return { before: side('+'), after: side('-') }
}

/** Returns the values that the second text sets and the first one does not. */
export const settingsIn = (before: string, after: string): Setting[] =>
  differences(parsedSettings(before), parsedSettings(after), [])

function differences(before: unknown, after: unknown, path: readonly string[]): Setting[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(after)) {
    const known: readonly unknown[] = Array.isArray(before) ? before : []
    return after.filter((value) => !known.includes(value)).map((value) => ({ path: [...path], value, add: true }))
  }
  if (after === null || typeof after !== 'object') return [{ path: [...path], value: after }]
  const known: JsonRecord = before !== null && typeof before === 'object' ? (before as JsonRecord) : {}
  return Object.entries(after).flatMap(([key, value]) => differences(known[key], value, [...path, key]))
}

/** Finds a file of settings that the client reads in a project and that has all values of a fix, and when it was written. */
export function standingSetting(
  project: string | undefined,
  { set }: SettingsFix,
  homes: readonly string[],
): { readonly path: string; readonly since: number } | null {
  const own = settingsFileOf(project)
  if (set === undefined || own === null) return null
  const files = [own, own.replace(/\.local\.json$/, '.json'), ...homes.map((home) => join(home, 'settings.json'))]
  const path = files.find((file) => {
    try {
      const settings = parsedSettings(textOf(file))
      return set.every((one) => isSet(settings, one))
    } catch {
      // What the client cannot read sets nothing; `fixFiles` says what is wrong with a file that it would change.
      return false
    }
  })
  return path === undefined ? null : { path, since: statSync(path).mtimeMs }
}

const BY_HAND = 'Correct it and list the suggestions again, or make the change by hand.'

/** Returns the change of a file that a fix makes; none if the file has it, or the file cannot be changed. */
export function fixFiles(
  project: string | undefined,
  fix: SettingsFix,
): { readonly files: readonly { path: string; diff: string }[]; readonly note: string | null } {
  const path = settingsFileOf(project)
  if (path === null || fix.set === undefined) return { files: [], note: null }
  try {
    const before = textOf(path)
    // As text, other bytes would not come back.
    if (before !== '' && !isUtf8(readFileSync(path))) throw new Error('it is not UTF-8')
    const after = withSettings(before, fix.set)
    if (after === null) return { files: [], note: `${path} has this setting already.` }
    return { files: [{ path, diff: wholeDiff(path, before, after) }], note: null }
  } catch (error) {
    return { files: [], note: `${path} cannot be changed: ${errorMessage(error)}. ${BY_HAND}` }
  }
}

/** Returns a fix that was applied, with the change of a file that undoing it takes back. */
export function appliedFix({ title, steps }: SettingsFix, file: ChangedFile | null): NonNullable<Advice['fix']> {
  if (file === null) return { title, steps: [...steps], files: [] }
  const { path, set, original } = file
  try {
    const after = textOf(path)
    const isAsMade = after === withSettings(original ?? '', set)
    const before = isAsMade ? (original ?? '') : withoutSettings(after, file)
    if (before !== after) return { title, steps: [...steps], files: [{ path, diff: wholeDiff(path, before, after) }] }
    return { title, steps: [...steps, `${path} does not have this setting any more.`], files: [] }
  } catch (error) {
    return { title, steps: [...steps, `${path} cannot be read: ${errorMessage(error)}`], files: [] }
  }
}

function checkObject(settings: JsonRecord, path: readonly string[]): void {
  const value = valueAt(settings, path) ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error(`${path.at(-1)} is not a JSON object`)
}
