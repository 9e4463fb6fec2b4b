import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../shared/error-text.ts'
import { packageRoot } from '../base/app-files.ts'
import { readState } from '../base/state-file.ts'

/** The list of a package's own files with their SHA-256, which is made when it is packed. */
export const FILE_LIST = 'out/main/files.json'

const FOLDERS = ['out/main', 'out/preload', 'out/renderer']
const list = z.record(z.string(), z.string())

/** Result of comparing the files that run with the list of their package. */
export interface PackageFiles {
  /** A clone has no list: its files are built there. */
  readonly state: 'not_a_release' | 'intact' | 'changed'
  /** Files that differ, are missing, or are not in the list. */
  readonly differing: string[]
}

/** Hashes the files that a package runs. */
export async function hashFiles(root: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const folder of FOLDERS) {
    const names = existsSync(join(root, folder)) ? await readdir(join(root, folder), { recursive: true }) : []
    for (const name of names.toSorted()) {
      const path = `${folder}/${name.replaceAll('\\', '/')}`
      if (path === FILE_LIST || path.endsWith('.map')) continue
      const content = await readFile(join(root, path)).catch((error: unknown) => {
        if (errorCode(error) === 'EISDIR') return null
        throw error
      })
      if (content !== null) hashes[path] = createHash('sha256').update(content).digest('hex')
    }
  }
  return hashes
}

/**
 * Compares the files of a package with its list. It finds damage and files of another version, not an attacker, who can
 * write the list as well.
 */
export async function comparePackageFiles(root: string = packageRoot()): Promise<PackageFiles> {
  const path = join(root, FILE_LIST)
  if (existsSync(join(root, 'src')) || !existsSync(path)) return { state: 'not_a_release', differing: [] }
  const listed = readState(path, list)
  if (listed === null) return { state: 'changed', differing: [FILE_LIST] }
  const found = await hashFiles(root)
  // The desktop's archive leaves out what only the command line needs, and its integrity is checked by its runtime.
  const isArchive = root.endsWith('.asar')
  const names = new Set([...Object.keys(found), ...(isArchive ? [] : Object.keys(listed))])
  const differing = [...names].filter((name) => found[name] !== listed[name]).toSorted()
  return { state: differing.length === 0 ? 'intact' : 'changed', differing }
}
