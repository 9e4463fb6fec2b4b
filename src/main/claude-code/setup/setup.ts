import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AspyError } from '../../../shared/contract/errors.ts'
import { pluginFiles, type PluginPlaces } from './plugin-files.ts'
import { readSettings, writeSettings, type JsonRecord } from './settings-file.ts'
import { readSetupRecord, writeSetupRecord, type SettingChange, type SetupRecord } from './setup-record.ts'

export interface SetupOptions extends PluginPlaces {
  /** Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly claudeDir: string
  /** Also ask the client for summaries of its thinking (`showThinkingSummaries`). */
  readonly withThinking: boolean
}

/** Its presence says that a plugin folder is ours to replace or remove. */
const MARK = '.installed-by-aspy'

/**
 * Installs the plugin in Claude Code's folder of skills, from where the client loads it by itself: no file that the
 * client writes is touched. Running it again brings everything up to date. Returns what was done, a line each.
 */
export function setUp(options: SetupOptions): string[] {
  const folder = join(options.claudeDir, 'skills', 'aspy')
  if (existsSync(folder) && !existsSync(join(folder, MARK))) {
    throw new AspyError('conflict', `${folder} is there and is not ours: move it away, then run this again`)
  }
  const record = readSetupRecord(options.dataDir)
  installPlugin(folder, pluginFiles(options))
  const done = [`plugin: ${folder}`]
  const plugins = [...new Set([...record.plugins, folder])]
  writeSetupRecord(options.dataDir, { ...record, plugins })
  if (options.withThinking) {
    const file = join(options.claudeDir, 'settings.json')
    changeSetting(options.dataDir, { file, path: ['showThinkingSummaries'], after: true })
    done.push(`thinking summaries: on in ${file}`)
  }
  return done
}

/** Takes back what `setUp` did and nothing else; a setting that was changed since is left as it is, and told. */
export function undoSetUp(dataDir: string): string[] {
  const record = readSetupRecord(dataDir)
  const done: string[] = []
  for (const folder of record.plugins) {
    if (!existsSync(join(folder, MARK))) continue
    rmSync(folder, { recursive: true, force: true })
    done.push(`removed: ${folder}`)
  }
  for (const change of record.changes.toReversed()) done.push(takeBack(change))
  writeSetupRecord(dataDir, { plugins: [], changes: [] })
  return done
}

/** Written aside and swapped in, so that the client never loads half a plugin. */
function installPlugin(folder: string, files: ReadonlyMap<string, string>): void {
  if (isInstalled(folder, files)) return
  const aside = `${folder}.new-${process.pid}`
  try {
    for (const [path, text] of [...files, [MARK, '']] as const) {
      mkdirSync(dirname(join(aside, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(aside, path), text, { mode: 0o600 })
    }
    rmSync(folder, { recursive: true, force: true })
    renameSync(aside, folder)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function isInstalled(folder: string, files: ReadonlyMap<string, string>): boolean {
  return [...files].every(([path, text]) => {
    const file = join(folder, path)
    return existsSync(file) && readFileSync(file, 'utf8') === text
  })
}

/** Sets one key of a settings file and notes what was there; the same change twice is one. */
function changeSetting(dataDir: string, { file, path, after }: Omit<SettingChange, 'before'>): void {
  const settings = readSettings(file)
  const before = valueAt(settings, path)
  if (isDeepStrictEqual(before, after)) return
  const record: SetupRecord = readSetupRecord(dataDir)
  const known = record.changes.some((change) => change.file === file && isDeepStrictEqual(change.path, path))
  const change = { file, path, after, ...(before === undefined ? {} : { before }) }
  // Noted first: an interrupted setup can be taken back, a change without a note cannot.
  if (!known) writeSetupRecord(dataDir, { ...record, changes: [...record.changes, change] })
  putAt(settings, path, after)
  writeSettings(file, settings)
}

function takeBack({ file, path, before, after }: SettingChange): string {
  const settings = readSettings(file)
  if (!isDeepStrictEqual(valueAt(settings, path), after)) return `left as it is now: ${path.join('.')} in ${file}`
  putAt(settings, path, before)
  writeSettings(file, settings)
  return `restored: ${path.join('.')} in ${file}`
}

function valueAt(settings: JsonRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value !== null && typeof value === 'object' ? (value as JsonRecord)[key] : undefined),
    settings,
  )
}

/** Puts a value at a path, making objects on the way; undefined removes it, and what is left empty by that. */
function putAt(settings: JsonRecord, path: readonly string[], value: unknown): void {
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
