import { join } from 'node:path'
import { errorCode } from '../../shared/error-text.ts'
import { readPrivateFile, UntrustedFile } from '../base/private-file.ts'
import { replacePrivateFile } from '../base/replace-private-file.ts'
import type { PassingRules, PortName } from './protocol.ts'

/** What the keeper of a service must know to pass by before an app of its own has served: what the last one said. */
export interface LastServed {
  readonly rules: PassingRules
  readonly ports: Readonly<Partial<Record<PortName, number>>>
}

const NAME = 'keeper.json'
/** A file of another build may lack what this one needs. */
const RULES: Readonly<Record<keyof PassingRules, true>> = {
  dataDir: true,
  upstream: true,
  upstreams: true,
  webSockets: true,
  allowedHosts: true,
  whenAway: true,
  tunnelHosts: true,
}

/** Keeps what an app has said, if the folder can be written. */
export function writeLastServed(last: LastServed): void {
  try {
    replacePrivateFile(join(last.rules.dataDir, NAME), `${JSON.stringify(last)}\n`)
  } catch (error) {
    // A folder that cannot be written is the app's to report.
    if (errorCode(error) === null) throw error
  }
}

/** Returns what the last app of a folder has said; null if that is not known. */
export function readLastServed(dataDir: string): LastServed | null {
  try {
    const text = readPrivateFile(join(dataDir, NAME))?.toString('utf8')
    if (text === undefined) return null
    const last = JSON.parse(text) as LastServed
    return last.rules.dataDir === dataDir && Object.keys(RULES).every((key) => key in last.rules) ? last : null
  } catch (error) {
    if (error instanceof UntrustedFile || error instanceof SyntaxError || errorCode(error) !== null) return null
    throw error
  }
}
