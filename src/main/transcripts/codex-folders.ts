import { join } from 'node:path'
import { existing } from './claude-folders.ts'

/** Returns Codex's existing folders: CODEX_HOME, `~/.codex`, and further ones from the settings. */
export function codexFolders(
  env: { readonly [name: string]: string | undefined },
  home: string,
  further: readonly string[] = [],
): readonly string[] {
  const named = env['CODEX_HOME'] ?? ''
  return existing([...(named === '' ? [] : [named]), join(home, '.codex'), ...further])
}

/** Returns folders with rollouts: those of the sessions in use, and of the archived ones. */
export function rolloutFolders(codex: readonly string[]): readonly string[] {
  return existing(codex.flatMap((folder) => [join(folder, 'sessions'), join(folder, 'archived_sessions')]))
}
