import { windowsName } from '../../../shared/folders.ts'
import type { WritableDb } from '../database/connection.ts'

/**
 * Returns a function that gives a folder of Windows the spelling in which it was first recorded: clients write its drive
 * and slashes differently, and sums are by project. Other folders stay as they are.
 */
export function createFolderSpellings(db: WritableDb): (folder: string | null) => string | null {
  let known: Map<string, string> | null = null
  const load = () => {
    const folders = db
      .prepare<[], string>(
        'SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY project ORDER BY min(started_at) DESC, project DESC',
      )
      .pluck()
      .all()
    return new Map(folders.map((folder) => [windowsName(folder) ?? folder, folder] as const))
  }
  return (folder) => {
    const name = folder === null ? null : windowsName(folder)
    if (folder === null || name === null) return folder
    known ??= load()
    const spelling = known.get(name)
    if (spelling === undefined) known.set(name, folder)
    return spelling ?? folder
  }
}
