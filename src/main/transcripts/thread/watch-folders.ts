import { readdirSync, realpathSync, statSync, watch, type Dirent, type FSWatcher } from 'node:fs'
import { join, sep } from 'node:path'
import { isTranscriptPath } from './transcript-names.ts'

/** Watches folders and everything below them for changes of transcripts. */
export interface FolderWatch {
  /** Number of watches; 0 if nothing can be watched here and only comparisons find changes. */
  readonly watches: number
  close(): void
}

export interface WatchOptions {
  readonly folders: readonly string[]
  /** Not watched: our own data. */
  readonly except: string
  /** A transcript was changed, created, moved or deleted. */
  onFile(path: string): void
  /** A folder appeared, which may contain transcripts already. */
  onFolder(path: string): void
}

/** The platforms that watch whole trees. Elsewhere, each folder gets a watch. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32'

/**
 * Watches folders without reading anything. Changes where nothing can be watched (a network drive, too many watches)
 * are found by the regular comparison.
 */
export function watchFolders({ folders, except, onFile, onFolder }: WatchOptions): FolderWatch {
  const watchers = new Map<string, FSWatcher>()

  function forget(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  function changed(folder: string, name: string | null): void {
    if (name === null) return
    const path = join(folder, name)
    if (path.startsWith(except + sep)) return
    if (isTranscriptPath(path)) onFile(path)
    else if (!WATCHES_TREES && addBelow(path)) onFolder(path)
  }

  function add(folder: string): void {
    if (watchers.has(folder)) return
    try {
      const watcher = watch(folder, { recursive: WATCHES_TREES }, (_event, name) => changed(folder, name))
      watcher.on('error', () => forget(folder))
      watchers.set(folder, watcher)
    } catch {
      // The next comparison finds the changes that the watch would have reported.
      return
    }
  }

  /** True if the path is a folder that was not watched yet. */
  function addBelow(folder: string): boolean {
    if (folder === except) return false
    try {
      const entries = readdirSync(folder, { withFileTypes: true })
      const isNew = !watchers.has(folder)
      add(folder)
      for (const entry of entries) {
        if (entry.isDirectory()) addBelow(join(folder, entry.name))
        else if (entry.isSymbolicLink()) addLinked(folder, entry)
      }
      return isNew
    } catch {
      // A file, or deleted: a new folder of that name gets a watch of its own.
      forget(folder)
      return false
    }
  }

  /** A link may lead back to where it is: a folder that is watched is not entered again. */
  function addLinked(folder: string, { name }: Dirent): void {
    const link = join(folder, name)
    if (statSync(link, { throwIfNoEntry: false })?.isDirectory() !== true) return
    const real = realpathSync(link)
    if (!watchers.has(real)) addBelow(real)
  }

  for (const folder of folders) {
    if (WATCHES_TREES) add(folder)
    else addBelow(folder)
  }
  return {
    get watches() {
      return watchers.size
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
