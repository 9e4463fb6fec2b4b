import { join } from 'node:path'

/** Returns Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function claudeFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')
}
