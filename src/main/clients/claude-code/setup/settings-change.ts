import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { editJson, parseLooseJson, valueAt } from '../../../base/edit-json.ts'
import {
  backupOf,
  editSettings,
  keepBackup,
  readSettings,
  replaceFile,
  settingsText,
  type JsonRecord,
} from '../../../base/replace-file.ts'
import { makeFolder, readSetupRecord, writeSetupRecord, type SettingChange, type SetupRecord } from './setup-record.ts'

/**
 * Sets one key of a settings file and records the previous value. Repeating a change has no effect. Throws, and changes
 * nothing, if the file is not valid or a value is not an object where one is needed.
 */
export function changeSetting(dataDir: string, { file, path, after }: Omit<SettingChange, 'before'>): void {
  const settings = readSettings(file)
  const before = valueAt(settings, path)
  if (isDeepStrictEqual(before, after)) return
  checkParents(file, settings, path)
  makeFolder(dataDir, dirname(file))
  const record: SetupRecord = readSetupRecord(dataDir)
  const isSame = (change: SettingChange) => change.file === file && isDeepStrictEqual(change.path, path)
  // If only we have changed this key, keep the value from before our first change.
  const ours = record.changes.find((change) => isSame(change) && isDeepStrictEqual(change.after, before))
  const change =
    ours === undefined ? { file, path, ...(before === undefined ? {} : { before }), after } : { ...ours, after }
  const others = record.changes.filter((change) => !isSame(change))
  // Recorded before the change is made: an interrupted setup can be undone, an unrecorded change cannot.
  writeSetupRecord(dataDir, { ...record, changes: [...others, change] })
  if (!record.changes.some((known) => known.file === file)) keepBackup(file)
  editSettings(file, path, after)
}

/**
 * Undoes recorded changes, the newest first, and forgets them. The copy of a file is removed with its last change, unless it
 * alone has a value that is not put back. Returns one line per change.
 */
export function undoChanges(dataDir: string, isMeant: (change: SettingChange) => boolean = () => true): string[] {
  const record = readSetupRecord(dataDir)
  const ours = record.changes.filter(isMeant)
  const changes = record.changes.filter((change) => !ours.includes(change))
  const done = ours.toReversed().map(undoChange)
  writeSetupRecord(dataDir, { ...record, changes })
  for (const file of new Set(ours.map((change) => change.file))) {
    const backup = backupOf(file)
    if (!existsSync(backup) || changes.some((change) => change.file === file)) continue
    const isNeeded = ours.some((change) => change.file === file && isLost(change))
    if (isNeeded) done.push(`kept: ${backup}, with what your change replaced`)
    else rmSync(backup)
  }
  return done
}

/** Returns whether a change is one of a variable of clients. */
export const isVariable = ({ path }: SettingChange): boolean => path[0] === 'env'

/** Returns whether the settings are gone, or no longer have the value from before our change. */
const isLost = ({ file, path, before }: SettingChange): boolean =>
  !existsSync(file) ||
  (before !== undefined && !isDeepStrictEqual(valueAt(readSettings(file, parseLooseJson), path), before))

/** Restores the value from before our change, unless it was changed again. Returns one line that says which. */
function undoChange({ file, path, before, after }: SettingChange): string {
  const now = valueAt(readSettings(file, parseLooseJson), path)
  // An address that was only spelled in another way still leads here.
  const secret = secretIn(after)
  const isOurs = isDeepStrictEqual(now, after) || (secret !== null && secretIn(now) === secret)
  if (!isOurs) return `kept your change: ${path.join('.')} in ${file}`
  const left = editJson(settingsText(file), path, before)
  if (!restoreWhole(file, left, path)) replaceFile(file, left)
  return `restored: ${path.join('.')} in ${file}`
}

const secretIn = (value: unknown): string | null =>
  typeof value === 'string' ? (/aspy-(?:path|tunnel)-[\w-]{43}/.exec(value)?.[0] ?? null) : null

/** Restores the original bytes, or removes the file if there was none. Returns false if a person has edited it since. */
function restoreWhole(file: string, left: string, path: readonly string[]): boolean {
  const settings = parseLooseJson(left) as JsonRecord
  const backup = backupOf(file)
  if (existsSync(backup)) {
    const original = settingsText(backup).trim() || '{}'
    // `"env": {}` is removed after the keys that were added to it, by this or an earlier change.
    const isGone = valueAt(settings, path) === undefined
    const before = isGone ? editJson(editJson(original, path, ''), path, undefined) : original
    const hadEmpty = isDeepStrictEqual(valueAt(parseLooseJson(original) as JsonRecord, ['env']), {})
    const ours = [before, ...(hadEmpty ? [editJson(before, ['env'], undefined)] : [])]
    // Also a comment, an order or a space that a person changed is theirs.
    if (!ours.some((text) => text.trim() === left.trim()) && !(isBare(original) && isBare(left))) return false
    replaceFile(file, readFileSync(backup))
    rmSync(backup)
    return true
  }
  if (!isBare(left)) return false
  // Behind a link, the file that it leads to.
  rmSync(realpathSync(file))
  return true
}

/** Returns whether a text has no setting and no comment. */
const isBare = (text: string): boolean => text.replaceAll(/\s/g, '') === '{}'

function checkParents(file: string, settings: JsonRecord, path: readonly string[]): void {
  for (const end of path.slice(0, -1).keys()) {
    const parent = path.slice(0, end + 1)
    const value = valueAt(settings, parent) ?? {}
    if (typeof value === 'object' && !Array.isArray(value)) continue
    throw new AspyError(
      'bad_input',
      `${parent.join('.')} in ${file} is not a JSON object; correct it and run this again. Nothing was changed`,
    )
  }
}
