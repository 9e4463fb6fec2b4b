import { join } from 'node:path'

/** Returns Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export const claudeFolder = (env: Readonly<Record<string, string | undefined>>, home: string): string =>
  env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')
