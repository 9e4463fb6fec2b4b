import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { AspyError } from '../../../../shared/contract/errors.ts'
import {
  backupOf,
  keepBackup,
  readSettings,
  replaceFile,
  writeSettings,
  type JsonRecord,
} from '../../../base/replace-file.ts'
import { readSetupRecord, writeSetupRecord, type SettingChange, type SetupRecord } from './setup-record.ts'

/**
 * Sets one key of a settings file and records the previous value. Repeating a change has no effect. Throws, and changes
 * nothing, if the file is not valid or a value is not an object where one is needed.
 */
export function changeSetting(dataDir: string, { file, path, after }: Omit<SettingChange, 'before'>): void {
  const settings = readSettings(file)
  const before = valueAt(settings, path)
  if (isDeepStrictEqual(before, after)) return
  checkParents(file, settings, path)
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
  putFirst(settings, path, after)
  writeSettings(file, settings)
}

/** Sets a value. A new key comes first in its object: its line then ends with a comma, and can be taken out as a whole. */
function putFirst(settings: JsonRecord, path: readonly string[], value: unknown): void {
  const [parents, key] = [path.slice(0, -1), path.at(-1)]
  const parent = valueAt(settings, parents)
  const isNew = parents.length > 0 && key !== undefined && parent !== undefined && valueAt(settings, path) === undefined
  if (isNew) putAt(settings, parents, { [key]: value, ...(parent as JsonRecord) })
  else putAt(settings, path, value)
}

/** Restores the value from before our change, unless it was changed again. Returns one line that says which. */
export function undoChange({ file, path, before, after }: SettingChange): string {
  const settings = readSettings(file)
  if (!isDeepStrictEqual(valueAt(settings, path), after)) return `kept your change: ${path.join('.')} in ${file}`
  putAt(settings, path, before)
  if (!restoreWhole(file, settings, path)) writeSettings(file, settings)
  return `restored: ${path.join('.')} in ${file}`
}

/** Restores the original bytes, or removes the file if there was none. Returns false if other keys have changed. */
function restoreWhole(file: string, settings: JsonRecord, path: readonly string[]): boolean {
  const backup = backupOf(file)
  if (existsSync(backup)) {
    const before = readSettings(backup)
    // `"env": {}` is removed after the keys that were added to it.
    if (valueAt(settings, path) === undefined) putAt(before, path, undefined)
    if (!isDeepStrictEqual(before, settings)) return false
    replaceFile(file, readFileSync(backup))
    rmSync(backup)
    return true
  }
  if (Object.keys(settings).length > 0) return false
  // Behind a link, the file that it leads to.
  rmSync(realpathSync(file))
  return true
}

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

/** Returns the value at a path of keys; undefined if there is none. */
export function valueAt(settings: JsonRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value !== null && typeof value === 'object' ? (value as JsonRecord)[key] : undefined),
    settings,
  )
}

/** Sets a value at a path and creates missing objects. undefined removes the key, and objects that become empty. */
export function putAt(settings: JsonRecord, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path
  if (key === undefined) return
  if (rest.length === 0) {
    if (value === undefined) delete settings[key]
    else settings[key] = value
    return
  }
  const inner = settings[key]
  const child: JsonRecord = inner !== null && typeof inner === 'object' ? (inner as JsonRecord) : {}
  putAt(child, rest, value)
  if (value === undefined && Object.keys(child).length === 0) delete settings[key]
  else settings[key] = child
}
