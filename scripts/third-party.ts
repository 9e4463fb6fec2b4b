import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { licenceTexts, packagesWithoutText, type LicenceText } from './licence-texts.ts'

const ROOT = join(import.meta.dirname, '..')

/** Content of the bundles, or the packed app, from packages that only development installs. */
const BUNDLED = [
  '@hono/node-server',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@peculiar/x509',
  'commander',
  'electron-updater',
  'eventsource-parser',
  'hono',
  'hyparquet-writer',
  'pino',
  'postgres',
  'prom-client',
  'reflect-metadata',
  'smol-toml',
  'undici',
  'uuid',
  'zod',
  '@fontsource-variable/inter',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  'electron',
  'lucide-react',
  'marked',
  'react',
  'react-dom',
  'recharts',
  'sugar-high',
  'tailwindcss',
]
/** Electron's own dependencies only download it. */
const WITHOUT_DEPENDENCIES = new Set(['electron'])

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** A package that ships with the app. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Its install path, from the root of the repository. */
  readonly paths: readonly string[]
}

function readLock(): Lock {
  return JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
}

/**
 * Returns the packages that run a script when they are installed. npm also marks those in the lock file that could be
 * compiled, even if they ask not to be (`gypfile: false`), so the manifest of each marked package decides.
 */
export function packagesWithInstallScripts(lock = readLock(), root = ROOT): readonly string[] {
  return Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true && runsScript(join(root, path)) ? [nameOf(path)] : [],
  )
}

/** Also true if the package is not installed here: nothing is known of it then. */
function runsScript(folder: string): boolean {
  if (!existsSync(join(folder, 'package.json'))) return true
  const { scripts = {}, gypfile } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>
    readonly gypfile?: boolean
  }
  const isCompiled = gypfile !== false && existsSync(join(folder, 'binding.gyp'))
  return isCompiled || ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
}

/** Returns everything that ships: the production set of the lock file, and what the window's bundle adds. */
export function shippedPackages({ packages } = readLock()): readonly ShippedPackage[] {
  const paths = new Set(
    Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
      path === '' || dev === true || devOptional === true ? [] : [path],
    ),
  )
  const due = BUNDLED.map((name) => `node_modules/${name}`)
  for (let path = due.pop(); path !== undefined; path = due.pop()) {
    const found = packages[path]
    if (found === undefined) throw new Error(`package-lock.json has no ${path}`)
    if (paths.has(path)) continue
    paths.add(path)
    if (WITHOUT_DEPENDENCIES.has(nameOf(path))) continue
    for (const name of Object.keys(found.dependencies ?? {})) due.push(placeOf(packages, path, name))
  }
  const shipped = [...paths].map((path) => {
    const { version = '', license } = packages[path] ?? {}
    return { name: nameOf(path), version, licence: license ?? licenceInFolder(path), paths: [path] }
  })
  const unique = new Map<string, ShippedPackage>()
  for (const one of shipped) {
    const key = `${one.name}@${one.version}`
    unique.set(key, { ...one, paths: [...(unique.get(key)?.paths ?? []), ...one.paths] })
  }
  return [...unique.values()].toSorted((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1))
}

/** Finds a dependency as Node does: from the package's own folder upwards. */
function placeOf(packages: Lock['packages'], from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    if (packages[`${folder}/node_modules/${name}`] !== undefined) return `${folder}/node_modules/${name}`
    if (!folder.includes('/node_modules/')) return `node_modules/${name}`
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Some lock entries have no licence; the package's own description does. */
function licenceInFolder(path: string): string {
  const { license } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as { license?: string }
  if (license === undefined) throw new Error(`${path} names no licence`)
  return license
}

/** Code that was copied into the sources from elsewhere. */
const COPIED = `## Copied into the sources

\`resources/words/plain-words.json\` has words of SCOWL (Spell Checker Oriented Word Lists):

> Copyright 2000-2011 by Kevin Atkinson
>
> Permission to use, copy, modify, distribute and sell these word lists, the associated scripts, the output created
> from the scripts, and its documentation for any purpose is hereby granted without fee, provided that the above
> copyright notice appears in all copies and that both that copyright notice and this permission notice appear in
> supporting documentation. Kevin Atkinson makes no representations about the suitability of this array for any
> purpose. It is provided "as is" without express or implied warranty.
`

/** Returns the text of THIRD_PARTY_NOTICES.md. */
export function thirdPartyNotices(): string {
  const shipped = shippedPackages()
  const rows = shipped.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  const without = packagesWithoutText(shipped).map(({ name, version, licence }) => `- ${name} ${version}: ${licence}`)
  return `# Third-party notices

Everything that ships with Aspy and was made by others: the packages that an installation contains, those bundled into
the window, its font (Inter), and Electron and Node. Chromium's own notices ship beside the desktop app, in
\`LICENSES.chromium.html\`. Generated from \`package-lock.json\` and the installed packages by
\`node scripts/write-third-party-notices.ts\`.

| package | version | licence |
|---|---|---|
${rows.join('\n')}

${COPIED}
## Texts

Packages with the same text share a section. These name their licence but contain no text of it:

${without.join('\n')}

${licenceTexts(shipped).map(section).join('\n\n')}
`
}

function section({ packages, text }: LicenceText, index: number): string {
  // The fence must be longer than any run of backquotes in the text.
  const longest = Math.max(3, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1))
  const fence = '`'.repeat(longest)
  const list = packages.map((one) => `- ${one}`).join('\n')
  return `### Text ${index + 1}\n\n${list}\n\n${fence}text\n${text}\n${fence}`
}
