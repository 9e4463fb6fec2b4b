import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The built files and installed packages that the desktop app uses. */
export interface DesktopClosure {
  /** Files of out/main that the desktop app can load, and those that only the command line loads. */
  readonly bundles: ReadonlySet<string>
  readonly otherBundles: ReadonlySet<string>
  /** Packages they load, directly or indirectly, and installed packages that they do not. */
  readonly packages: ReadonlySet<string>
  readonly otherPackages: ReadonlySet<string>
}

interface LockedPackage {
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Matches the names in imports, dynamic imports and requires of the built bundles. */
const IMPORTS = /\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g

/** Follows imports from the entries of the desktop app and its threads, through bundles and packages. */
export function desktopClosure(root: string): DesktopClosure {
  const folder = join(root, 'out/main')
  const all = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const bundles = new Set<string>()
  const roots = new Set<string>()
  const waiting = ['index.js', ...all.filter((name) => name.endsWith('-thread.js'))]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (bundles.has(name)) continue
    bundles.add(name)
    for (const [, imported = ''] of readFileSync(join(folder, name), 'utf8').matchAll(IMPORTS)) {
      // Bundled packages quote imports in comments and texts: only files that exist are followed.
      if (imported.startsWith('./')) waiting.push(...all.filter((file) => file === imported.slice(2)))
      else if (!imported.startsWith('node:') && imported !== 'electron') roots.add(packageOf(imported))
    }
  }
  return { bundles, otherBundles: new Set(all.filter((name) => !bundles.has(name))), ...closurePackages(root, roots) }
}

const packageOf = (imported: string) => imported.split('/', imported.startsWith('@') ? 2 : 1).join('/')

function closurePackages(root: string, roots: ReadonlySet<string>) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const packages = new Set<string>()
  const installed = new Map(
    Object.entries(lock.packages).flatMap(([path, entry]) => {
      const name = path.split('node_modules/').at(-1) ?? ''
      return path === '' || entry.dev === true ? [] : [[path, { name, entry }] as const]
    }),
  )
  const waiting = [...roots].filter((name) => installed.has(`node_modules/${name}`))
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (packages.has(name)) continue
    packages.add(name)
    for (const { name: found, entry } of installed.values()) {
      if (found === name) waiting.push(...Object.keys(entry.dependencies ?? {}))
    }
  }
  const names = [...new Set([...installed.values()].map(({ name }) => name))]
  return { packages, otherPackages: new Set(names.filter((name) => !packages.has(name))) }
}
