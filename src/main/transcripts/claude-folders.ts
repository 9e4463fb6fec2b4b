import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Claude Code's own folders that are there: `~/.claude` and those that CLAUDE_CONFIG_DIR names (separated by commas). */
export function claudeFolders(env: { readonly [name: string]: string | undefined }, home: string): readonly string[] {
  const named = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((folder) => folder.trim())
  return existing([...named.filter((folder) => folder !== ''), join(home, '.config', 'claude'), join(home, '.claude')])
}

/** Folders with transcripts: `projects` in each of Claude Code's own, and those of the settings. */
export function transcriptFolders(claude: readonly string[], further: readonly string[]): readonly string[] {
  return existing([...claude.map((folder) => join(folder, 'projects')), ...further.map((folder) => resolve(folder))])
}

/** Those that are there, each once, by their real paths. */
function existing(folders: readonly string[]): readonly string[] {
  const real = new Set<string>()
  for (const folder of folders) {
    try {
      real.add(realpathSync(folder))
    } catch {
      // Not there, or not ours to look into: there is nothing to find.
      continue
    }
  }
  return [...real]
}

/** The client's lists of prompts, where there are some. */
export function promptHistories(claude: readonly string[]): readonly string[] {
  return existing(claude.map((folder) => join(folder, 'history.jsonl')))
}
