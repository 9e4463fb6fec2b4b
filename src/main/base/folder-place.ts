import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createDataDir, KEY_NAMES } from './data-folder.ts'
import { PATH_SECRET_FILE } from './path-secret.ts'
import { readPrivateFile } from './private-file.ts'
import { RUNNING_NOTE } from './running-note.ts'
import { statOf } from './stat-of.ts'

/** How often it is looked whether the folder is in its place, in ms. */
const LOOK_MS = 2000

/** What commands find the app by, and what clients that run were given. */
const KEPT_FILES = [...KEY_NAMES, PATH_SECRET_FILE, RUNNING_NOTE]

/**
 * Notices that the data folder of a running app was moved or removed. Its open database goes with it, unseen; a folder in
 * its place gets what commands and clients need to go on with the app and with the one that is started after it.
 */
export class FolderPlace {
  #isGone = false

  /** Whether the folder is not, or no more, the one that the app opened. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Watches the folder of an app that serves; `onPlaced` is called once its files are there again. Returns how to end it. */
  watch(dir: string, onPlaced: () => void): () => void {
    const own = statOf(dir)
    const files = KEPT_FILES.map((name) => [name, readPrivateFile(join(dir, name), { readable: 'left' })] as const)
    const look = () => {
      const now = statOf(dir)
      this.#isGone = now?.ino !== own?.ino || now?.dev !== own?.dev
      if (this.#isGone && !existsSync(join(dir, 'token')) && place(dir, files)) onPlaced()
    }
    const timer = setInterval(look, LOOK_MS).unref()
    return () => clearInterval(timer)
  }
}

/** Puts these files into the folder, made again if need be. Returns false where it cannot: its disk may be gone. */
function place(dir: string, files: readonly (readonly [name: string, content: Buffer | null])[]): boolean {
  try {
    if (!existsSync(dirname(dir))) return false
    createDataDir(dir)
    for (const [name, content] of files) {
      if (content !== null) writeFileSync(join(dir, name), content, { mode: 0o600, flag: 'wx' })
    }
    return true
  } catch {
    return false
  }
}
