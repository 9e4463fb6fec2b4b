import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { ADDING, REPLACING } from './full-variables.ts'
import { isProcessAlive } from '../../../base/is-process-alive.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A file for each variable. */
type TrustFiles = Readonly<Record<string, string>>

/** The tunnel's authorities. */
interface Authorities {
  readonly pem: string
  /** A file with only these certificates; null if there is none. */
  readonly file: string | null
}

/** Folder for files of runs within the data folder; each run has a folder of its own, named after its process. */
const RUNS = 'runs'

/** Creates the folder of this run, readable by its owner only, and removes those of runs that were killed. */
export function createRunFolder(dataDir: string): { readonly path: string; remove(): void } {
  const runs = join(dataDir, RUNS)
  mkdirSync(runs, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(runs))
    if (!isProcessAlive(Number.parseInt(name, 10))) rmSync(join(runs, name), { recursive: true, force: true })
  const path = mkdtempSync(join(runs, `${process.pid}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Writes the files that make programs trust the tunnel's authorities in addition to what they trust now: the file that
 * a variable names in `env`, else the system's certificates. Returns the file of each variable, including the client's
 * own `further` variables.
 */
export function writeTrustFiles(
  folder: string,
  env: Environment,
  authorities: Authorities,
  further: readonly string[] = [],
): TrustFiles {
  const { pem: ca, file } = authorities
  const roots = [systemRoots(), ca].join('\n')
  const write = (name: string, pem: string): string => {
    const file = join(folder, `${name}.pem`)
    writeFileSync(file, pem, { mode: 0o600 })
    return file
  }
  const shared = write('system-and-aspy', roots)
  const own = (variable: string, otherwise: () => string) => {
    const given = readOr(env[variable])
    return given === null ? otherwise() : write(variable.toLowerCase(), [given, ca].join('\n'))
  }
  return Object.fromEntries([
    [ADDING, own(ADDING, () => file ?? write('aspy', ca))],
    ...[...REPLACING, ...further].map((variable) => [variable, own(variable, () => shared)] as const),
  ])
}

/** Returns the certificates that the system trusts, or Node's own if the system lists none. */
export function systemRoots(): string {
  const system = getCACertificates('system')
  return (system.length > 0 ? system : getCACertificates('bundled')).join('\n')
}

/** Returns a file's text; null if no file is named or it cannot be read, in which case programs ignore it or fail anyway. */
function readOr(path: string | undefined): string | null {
  if (!path || !existsSync(path)) return null
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A folder, or not readable.
    return null
  }
}
