import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { removeCommand } from '../../path-command.ts'
import { pluginFiles, type PluginPlaces } from './plugin-files.ts'
import { changeSetting, undoChanges } from './settings-change.ts'
import { makeFolder, readSetupRecord, removeFolders, writeSetupRecord } from './setup-record.ts'

export interface SetupOptions extends PluginPlaces {
  /** Claude Code's folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly claudeDir: string
  /** Also ask the client for thinking summaries (`showThinkingSummaries`). */
  readonly withThinking: boolean
}

/** A file that marks a plugin folder as installed by us, so that we may replace or remove it. */
const MARK = '.installed-by-aspy'

/** Returns whether setup installed the plugin in a folder. */
export const isOurPlugin = (folder: string): boolean => existsSync(join(folder, MARK))

/** Returns the folder from which Claude Code loads the plugin. */
export const pluginFolder = (claudeDir: string): string => join(claudeDir, 'skills', 'aspy')

/**
 * Installs the plugin in Claude Code's skills folder, from which the client loads it without any change to its own files.
 * Running it again updates the plugin. Returns one line per change.
 */
export function setUp(options: SetupOptions): string[] {
  const folder = pluginFolder(options.claudeDir)
  if (existsSync(folder) && !isOurPlugin(folder))
    throw new AspyError('conflict', `${folder} exists but was not installed by Aspy; move it away and run this again`)
  makeFolder(options.dataDir, dirname(folder))
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

/** Undoes what `setUp` did. Keeps settings that were changed since. Returns one line per change. */
export function undoSetUp(dataDir: string): string[] {
  const record = readSetupRecord(dataDir)
  const done: string[] = []
  for (const folder of record.plugins) {
    if (!isOurPlugin(folder)) continue
    rmSync(folder, { recursive: true, force: true })
    done.push(`removed: ${folder}`)
  }
  done.push(...undoChanges(dataDir), ...removeCommand(dataDir))
  removeFolders(dataDir)
  writeSetupRecord(dataDir, { ...readSetupRecord(dataDir), plugins: [], folders: [] })
  return done
}

/** Writes to a temporary folder and swaps it in, so that the client never loads half a plugin. */
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

/** Returns whether a folder contains these plugin files. */
export const isInstalled = (folder: string, files: ReadonlyMap<string, string>): boolean =>
  [...files].every(([path, text]) => {
    const file = join(folder, path)
    return existsSync(file) && readFileSync(file, 'utf8') === text
  })
