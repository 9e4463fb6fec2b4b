import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * A package that tests run as a separate program. It is not a dependency of the project: it is fetched once, into a
 * cache that all clones share.
 */
export interface FetchedPackage {
  readonly name: string
  readonly version: string
  /** The folder it is installed in. */
  readonly folder: string
  /** Versions of packages below it, where the registry of a machine lacks the one that they ask for. */
  readonly overrides?: Readonly<Record<string, string>>
  /** It may be for another system than this one. */
  readonly isForeign?: boolean
  /** Its program below a folder; null where it is not there. */
  find(folder?: string): string | null
}

export function fetchedPackage(
  name: string,
  version: string,
  findIn: (modules: string) => string | null | undefined,
): FetchedPackage {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const home = join(cache, 'aspy-tests', `${name.split('/').at(-1)}-${version}`)
  const find = (folder = home) => {
    const modules = join(folder, 'node_modules')
    return existsSync(modules) ? (findIn(modules) ?? null) : null
  }
  return { name, version, folder: home, find }
}

/** Null when it is there; else why not, in one line. */
export async function fetchPackage({
  name,
  version,
  folder,
  find,
  overrides,
  isForeign = false,
}: FetchedPackage): Promise<string | null> {
  if (find() !== null) return null
  mkdirSync(dirname(folder), { recursive: true })
  // Beside its place and then renamed, so that a fetch that broke off never looks like a whole one.
  const partial = mkdtempSync(`${folder}.`)
  try {
    if (overrides !== undefined) writeFileSync(join(partial, 'package.json'), JSON.stringify({ overrides }))
    await promisify(execFile)(
      process.platform === 'win32' ? 'npm.cmd' : 'npm',
      // What we fetch needs none of its scripts.
      [
        ...'install --no-save --ignore-scripts --no-audit --no-fund --loglevel error --prefix'.split(' '),
        partial,
        ...(isForeign ? ['--force'] : []),
        `${name}@${version}`,
      ],
      { cwd: partial, timeout: 300_000, shell: process.platform === 'win32' },
    )
    if (find(partial) === null) return 'it has no program for this system'
    rmSync(folder, { recursive: true, force: true })
    renameSync(partial, folder)
    return null
  } catch (error) {
    // Another run may have fetched it meanwhile.
    if (find() !== null) return null
    return String(error instanceof Error ? error.message : error)
      .replaceAll(/\s+/g, ' ')
      .slice(0, 300)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
