import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedPackage } from '../client/fetched-package.ts'

/** What packs the desktop app. 279 packages and 93 MB: fetched by who packs, never by who installs. */
export const ELECTRON_BUILDER = fetchedPackage('electron-builder', '26.17.0', (modules) => {
  const program = join(modules, 'electron-builder', 'cli.js')
  return existsSync(program) ? program : null
})
