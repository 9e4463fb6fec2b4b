import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { TRANSCRIPT_CLIENTS } from '../decode/client/transcript-clients.ts'
import { clientHomes, transcriptFolders } from './client-folders.ts'

/** Returns the files in which a client keeps a session and its agents: of its own folders, and of those that were `read`. */
export function sessionFiles(
  sessionId: string,
  read: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  userHome: string,
): readonly string[] {
  const owner = { session_id: sessionId, agent_id: null }
  const isItsOwn = (path: string) =>
    TRANSCRIPT_CLIENTS.some((client) => client.hasName(path) && client.isOfSession?.(path, owner) === true)
  const own = transcriptFolders(clientHomes(env, userHome, {}), []).flatMap(filesBelow)
  return [...new Set([...own, ...read])].filter((path) => isItsOwn(path) && existsSync(path))
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  } catch {
    // Not readable by this person: then the client keeps nothing of theirs there.
    return []
  }
}
