import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { logFilesIn } from '../log-files.ts'

/** Returns where the logs of hidden sessions wait, below the folder of all logs. */
export const hiddenLogsIn = (folder: string): string => join(folder, '.hidden')

/**
 * Moves the files of hidden sessions out of sight, and those of sessions that are shown again back. `names` are the logs
 * to hide. Calls `release` before a log's files are moved.
 */
export function moveHiddenLogs(folder: string, names: ReadonlySet<string>, release: (name: string) => void): void {
  const aside = hiddenLogsIn(folder)
  const appearing = logFilesIn(aside).filter(({ log }) => !names.has(log))
  const leaving = names.size === 0 ? [] : logFilesIn(folder).filter(({ log }) => names.has(log))
  for (const name of new Set([...appearing, ...leaving].map(({ log }) => log))) release(name)
  if (leaving.length > 0) mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const { file, log } of leaving) renameSync(join(folder, file), freePath(aside, file, log))
  for (const { file, log } of appearing) renameSync(join(aside, file), freePath(folder, file, log))
}

/** Removes the files of a log that is hidden. */
export function removeHiddenLog(folder: string, name: string): void {
  const aside = hiddenLogsIn(folder)
  for (const { file, log } of logFilesIn(aside)) if (log === name) rmSync(join(aside, file), { force: true })
}

/** Returns the path of a file; as the newest part of its log if the name is taken after a crash between two moves. */
function freePath(folder: string, file: string, log: string): string {
  const path = join(folder, file)
  if (!existsSync(path)) return path
  const parts = logFilesIn(folder).flatMap((found) => (found.log === log && found.part !== null ? [found.part] : []))
  return join(folder, `${log}.${Math.max(0, ...parts) + 1}`)
}
