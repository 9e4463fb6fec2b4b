import { createHash, randomUUID } from 'node:crypto'
import { RUN_PREFIX } from '../../shared/path-secret.ts'

/** Names a run of a client that goes through the proxy. */
export const createRun = (): string => randomUUID().replaceAll('-', '')

/** Returns the name of a run that goes through the tunnel: its key, as a hash. */
export const runOfKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** Returns a base URL that names a run; null: none. */
export const baseUrlOfRun = (baseUrl: string, run: string | null): string =>
  run === null ? baseUrl : `${baseUrl}/${RUN_PREFIX}${run}`
