import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '../../shared/time-units.ts'

/** Notes in the data folder when the database was last checked for damage. */
const noteIn = (dataDir: string): string => join(dataDir, 'last-check')

/** Returns true if the last check is a day old, or there is none. */
export function isCheckDue(dataDir: string, now = Date.now()): boolean {
  const path = noteIn(dataDir)
  const age = existsSync(path) ? now - Date.parse(readFileSync(path, 'utf8')) : Number.NaN
  // A note from the future says nothing.
  return !(age >= 0 && age < DAY_MS)
}

/** Notes a check. A disk that hangs holds up nothing else. */
export const noteCheck = (dataDir: string, now = Date.now()): Promise<void> =>
  writeFile(noteIn(dataDir), new Date(now).toISOString(), { mode: 0o600 })

/** Makes the app check the database, within a minute if it is running. */
export function askForCheck(dataDir: string): void {
  rmSync(noteIn(dataDir), { force: true })
}
