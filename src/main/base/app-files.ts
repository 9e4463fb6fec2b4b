import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json: the project's own, or that of the installed package. */
export function packageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) throw new Error(`no package.json above ${from}`)
  }
}

/** The built window; it may not have been built yet. */
export function windowFolder(): string {
  return join(packageRoot(), 'out', 'renderer')
}

/** The version of this build. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}
