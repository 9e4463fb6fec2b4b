import type { Config } from '../../shared/config.ts'
import { claudeFolders } from './claude-folders.ts'
import { codexFolders } from './codex-folders.ts'
import type { ImporterStart } from './protocol.ts'

/** Returns the folders of all clients that exist on this machine. */
export function clientFolders(
  env: { readonly [name: string]: string | undefined },
  home: string,
  { transcripts }: Config,
): Pick<ImporterStart, 'claudeFolders' | 'codexFolders'> {
  return {
    claudeFolders: claudeFolders(env, home),
    codexFolders: codexFolders(env, home, transcripts.codex_folders),
  }
}
