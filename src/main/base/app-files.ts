import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder with package.json: the project, or the installed package. */
export function packageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) throw new Error(`no package.json above ${from}`)
  }
}

/** Returns the folder of the built window, which may not exist yet. */
export const windowFolder = (): string => join(packageRoot(), 'out', 'renderer')

/** Returns the version of this build. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}
