import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownFault } from './known-fault.ts'

const FOLDER = join(import.meta.dirname, 'faults')

/** All known faults, by area: one file each. */
export const KNOWN_FAULTS: readonly KnownFault[] = readdirSync(FOLDER)
  .toSorted()
  .flatMap((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as KnownFault[])
