import { join } from 'node:path'
import { readPrivateFile, UntrustedFile } from '../base/private-file.ts'
import { replacePrivateFile } from '../base/replace-private-file.ts'

/** The port that the tunnel had last, in the data folder. */
export const LAST_PORT_FILE = 'tunnel-port'

/** Returns the port that the tunnel had last, which clients that still run were given; null if it is not known. */
export function readLastPort(dataDir: string): number | null {
  try {
    const text = readPrivateFile(join(dataDir, LAST_PORT_FILE))?.toString('utf8').trim() ?? ''
    return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536 ? Number(text) : null
  } catch (error) {
    if (error instanceof UntrustedFile) return null
    throw error
  }
}

/** Stores the port for the next start. Throws file system errors. */
export function writeLastPort(dataDir: string, port: number): void {
  if (readLastPort(dataDir) !== port) replacePrivateFile(join(dataDir, LAST_PORT_FILE), `${port}\n`)
}
