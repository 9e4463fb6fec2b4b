import { closeSync, existsSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createDataDir, KEY_NAMES } from './data-folder.ts'
import { PATH_SECRET_FILE } from './path-secret.ts'
import { readPrivateFile } from './private-file.ts'
import { RUNNING_NOTE } from './running-note.ts'

/** Pause in ms between two looks at the folder. */
const LOOK_MS = 2000

/** What commands find the app by, and what running clients were given. */
const KEPT_FILES = [...KEY_NAMES, PATH_SECRET_FILE, RUNNING_NOTE]

/**
 * Notices that the data folder of a running app was moved or removed, and its open database with it. Puts a folder in its
 * place with what commands and clients need to reach the app, and the one that is started next.
 */
export class FolderPlace {
  #isGone = false

  /** Whether the path no longer leads to the folder that the app opened. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Watches the folder of an app that serves. Calls `onPlaced` when its files are there again. Returns how to stop. */
  watch(dir: string, onPlaced: () => void): () => void {
    // Held open: a new folder could get the number of one that was removed.
    const held = openSync(dir, 'r')
    const own = fstatSync(held)
    const files = KEPT_FILES.map((name) => [name, readPrivateFile(join(dir, name), { readable: 'left' })] as const)
    let [isLooking, isStopped] = [false, false]
    const look = async () => {
      isLooking = true
      const [now, isThere] = await Promise.all([
        stat(dir).catch(() => undefined),
        access(join(dir, 'token')).then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
        ),
      ])
      isLooking = false
      if (isStopped) return
      this.#isGone = now?.ino !== own.ino || now.dev !== own.dev
      if (this.#isGone && !isThere && place(dir, files)) onPlaced()
    }
    // A mount that does not answer must hold up nothing but this look.
    const timer = setInterval(() => void (isLooking || look()), LOOK_MS).unref()
    return () => {
      isStopped = true
      clearInterval(timer)
      closeSync(held)
    }
  }
}

/** Puts these files into the folder, and makes it if it is missing. Returns false if it cannot: its disk may be gone. */
function place(dir: string, files: readonly (readonly [name: string, content: Buffer | null])[]): boolean {
  try {
    if (!existsSync(dirname(dir))) return false
    createDataDir(dir)
    for (const [name, content] of files)
      if (content !== null) writeFileSync(join(dir, name), content, { mode: 0o600, flag: 'wx' })
    return true
  } catch {
    return false
  }
}
