import { join } from 'node:path'
import { trustedText } from '../base/private-file.ts'
import { replacePrivateFile } from '../base/replace-private-file.ts'

/** The port that the tunnel had last, in the data folder. */
export const LAST_PORT_FILE = 'tunnel-port'

/** Returns the port that the tunnel had last, which clients that still run were given; null if it is not known. */
export function readLastPort(dataDir: string): number | null {
  const text = trustedText(join(dataDir, LAST_PORT_FILE))
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536 ? Number(text) : null
}

/** Stores the port for the next start. Throws file system errors. */
export function writeLastPort(dataDir: string, port: number): void {
  if (readLastPort(dataDir) !== port) replacePrivateFile(join(dataDir, LAST_PORT_FILE), `${port}\n`)
}
