import { win32 } from 'node:path'
import { shellQuoted } from '../base/shell-quoted.ts'
import type { WarningFix } from '../../shared/contract/health.ts'

/** A problem and how to resolve it. */
export interface Warning {
  readonly code: string
  readonly message: string
  readonly fix: WarningFix
  /** Data is being lost or cannot be read: the app counts as degraded. */
  readonly isSevere: boolean
}

/** A fix that the user carries out elsewhere. */
export const textFix = (text: string): WarningFix => ({ kind: 'text', text })

/** A fix with a command to run in a terminal. */
export const commandFix = (text: string, command: string): WarningFix => ({ kind: 'command', text, command })

/** A fix with a setting to change; without a key, anything in the section. */
export const settingFix = (text: string, section: string, key: string | null = null): WarningFix => ({
  kind: 'setting',
  text,
  section,
  key,
})

/** A fix that begins with finding the cause. */
export const doctorFix = (text: string): WarningFix => commandFix(text, 'aspy doctor')

const freeSpace = (dir: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? `fsutil volume diskfree ${win32.parse(dir).root.slice(0, 2)}` : `df -h ${shellQuoted(dir)}`

/** A fix that begins with the free space of the disk that holds the data folder. */
export const diskFix = (text: string, dataDir: string, platform = process.platform): WarningFix =>
  commandFix(text, freeSpace(dataDir, platform))

/** A fix that makes the data folder writable; on Windows, that shows who may write. */
export const folderFix = (text: string, dataDir: string, platform = process.platform): WarningFix =>
  commandFix(text, `${platform === 'win32' ? 'icacls' : 'chmod -R u+rwX'} ${shellQuoted(dataDir, platform)}`)

/** A fix that begins with the permissions of the log folder and the free space of its disk. */
export function logFolderFix(dataDir: string, platform = process.platform): WarningFix {
  const [data, logs] = [dataDir, platform === 'win32' ? win32.join(dataDir, 'logs') : `${dataDir}/logs`].map((path) =>
    shellQuoted(path, platform),
  )
  return commandFix(
    'Free disk space, and check that the logs folder is writable. The database has these events.',
    platform === 'win32' ? `icacls ${logs}` : `ls -ld ${data} ${logs}; ${freeSpace(dataDir, platform)}`,
  )
}
