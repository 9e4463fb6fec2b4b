import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { pluginFiles, type PluginPlaces } from './plugin-files.ts'
import { changeSetting, takeBack } from './settings-change.ts'
import { readSetupRecord, writeSetupRecord } from './setup-record.ts'

export interface SetupOptions extends PluginPlaces {
  /** Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly claudeDir: string
  /** Also ask the client for summaries of its thinking (`showThinkingSummaries`). */
  readonly withThinking: boolean
}

/** Its presence says that a plugin folder is ours to replace or remove. */
const MARK = '.installed-by-aspy'

/** Whether a plugin folder is one that we installed. */
export const isOurPlugin = (folder: string): boolean => existsSync(join(folder, MARK))

/** Where Claude Code finds a plugin by itself. */
export const pluginFolder = (claudeDir: string): string => join(claudeDir, 'skills', 'aspy')

/**
 * Installs the plugin in Claude Code's folder of skills, from where the client loads it by itself: no file that the
 * client writes is touched. Running it again brings everything up to date. Returns what was done, a line each.
 */
export function setUp(options: SetupOptions): string[] {
  const folder = pluginFolder(options.claudeDir)
  if (existsSync(folder) && !isOurPlugin(folder)) {
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
    if (!isOurPlugin(folder)) continue
    rmSync(folder, { recursive: true, force: true })
    done.push(`removed: ${folder}`)
  }
  for (const change of record.changes.toReversed()) done.push(takeBack(change))
  writeSetupRecord(dataDir, { ...record, plugins: [], changes: [] })
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

/** Whether a folder holds these files of the plugin. */
export function isInstalled(folder: string, files: ReadonlyMap<string, string>): boolean {
  return [...files].every(([path, text]) => {
    const file = join(folder, path)
    return existsSync(file) && readFileSync(file, 'utf8') === text
  })
}
