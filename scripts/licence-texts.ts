import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import type { ShippedPackage } from './third-party.ts'

const ROOT = join(import.meta.dirname, '..')
/** Files of a package that have its licence or notices. */
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i
/** Node's packages by platform: the optional dependencies that the command line runs on, where Node is too old. */
const NODE_PACKAGES: ReadonlySet<string> = new Set(Object.keys(manifest.optionalDependencies))

/** A licence or notice, and the packages whose text it is, as `name version`. */
export interface LicenceText {
  readonly text: string
  readonly packages: readonly string[]
}

/** Returns the text of every licence that ships, each once. Needs the installed packages. */
export function licenceTexts(shipped: readonly ShippedPackage[]): readonly LicenceText[] {
  const found = new Map<string, string[]>()
  for (const one of shipped) {
    for (const text of textsOf(one)) {
      const packages = found.get(text)
      if (packages) packages.push(`${one.name} ${one.version}`)
      else found.set(text, [`${one.name} ${one.version}`])
    }
  }
  return [...found].map(([text, packages]) => ({ text, packages }))
}

/** Returns the packages that have no licence text of their own, only the licence's name. */
export function packagesWithoutText(shipped: readonly ShippedPackage[]): readonly ShippedPackage[] {
  return shipped.filter((one) => textsOf(one).length === 0)
}

function textsOf({ name, paths }: ShippedPackage): readonly string[] {
  // npm installs the package of this platform alone; all of them contain the licence of Node.
  const folders = NODE_PACKAGES.has(name) ? [...NODE_PACKAGES].map((each) => `node_modules/${each}`) : paths
  const folder = folders.map((path) => join(ROOT, path)).find((path) => existsSync(path))
  if (folder === undefined) throw new Error(`${name} is not installed: run npm ci`)
  return readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .toSorted()
    .map((file) => normalized(readFileSync(join(folder, file), 'utf8')))
}

/** Line ends and trailing spaces differ between packages; the texts do not. */
function normalized(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}
