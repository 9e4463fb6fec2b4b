import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Returns Claude Code's existing folders: `~/.claude`, `~/.config/claude`, and CLAUDE_CONFIG_DIR (comma-separated). */
export function claudeFolders(env: { readonly [name: string]: string | undefined }, home: string): readonly string[] {
  const named = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((folder) => folder.trim())
  return existing([...named.filter((folder) => folder !== ''), join(home, '.config', 'claude'), join(home, '.claude')])
}

/** Returns folders with transcripts: `projects` in each of Claude Code's folders, and those from the settings. */
export function transcriptFolders(claude: readonly string[], further: readonly string[]): readonly string[] {
  return existing([...claude.map((folder) => join(folder, 'projects')), ...further.map((folder) => resolve(folder))])
}

/** Returns the real paths of those that exist, without duplicates. */
export function existing(folders: readonly string[]): readonly string[] {
  const real = new Set<string>()
  for (const folder of folders) {
    try {
      real.add(realpathSync(folder))
    } catch {
      // The folder is missing or unreadable, so it has nothing to import.
      continue
    }
  }
  return [...real]
}

/** Returns the client's prompt histories that exist. */
export function promptHistories(claude: readonly string[]): readonly string[] {
  return existing(claude.map((folder) => join(folder, 'history.jsonl')))
}
