import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { parseSync } from 'oxc-parser'

/** One import or re-export of a file of ours, by its path from the root of the repository. */
export interface Import {
  readonly from: string
  readonly to: string
  /** False when types alone are imported: the line is erased before the code runs. */
  readonly isValue: boolean
  readonly line: number
}

const ROOT = join(import.meta.dirname, '../..')

/** Returns the paths of all sources of the product, from the root of the repository; tests and their fixtures are left out. */
export function sourceFiles(): readonly string[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/\.test\.tsx?$|\/fixtures\//.test(path))
    .sort()
}

/** Reads the imports of files that are on disk. */
export function importsOf(paths: readonly string[]): readonly Import[] {
  return paths.flatMap((path) => importsIn(path, readFileSync(join(ROOT, path), 'utf8')))
}

/**
 * Returns the imports of `text`, as if it were at `path`: static and dynamic ones and re-exports, as long as they name
 * a file by a relative path. Packages and Node's own modules are left out.
 */
export function importsIn(path: string, text: string): readonly Import[] {
  const { module } = parseSync(path, text)
  const found: Import[] = []
  const add = (specifier: string, isValue: boolean, start: number) => {
    if (!specifier.startsWith('.')) return
    const to = posix.normalize(posix.join(posix.dirname(path), specifier))
    found.push({ from: path, to, isValue, line: text.slice(0, start).split('\n').length })
  }
  for (const { moduleRequest, entries, start } of module.staticImports) {
    add(moduleRequest.value, entries.length === 0 || entries.some((entry) => !entry.isType), start)
  }
  for (const { entries, start } of module.staticExports) {
    const sources = entries.filter((entry) => entry.moduleRequest !== null)
    const [first] = sources
    if (first?.moduleRequest != null)
      add(
        first.moduleRequest.value,
        sources.some((entry) => !entry.isType),
        start,
      )
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = /^['"](.+)['"]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1]
    if (specifier !== undefined) add(specifier, true, moduleRequest.start)
  }
  return found
}

/** Returns the files whose code is loaded with `entry`: those it reaches through value imports, itself included. */
export function reachedFrom(entry: string, imports: readonly Import[]): ReadonlySet<string> {
  const targets = new Map<string, string[]>()
  for (const { from, to, isValue } of imports) if (isValue) targets.set(from, [...(targets.get(from) ?? []), to])
  const reached = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    waiting.push(...(targets.get(path) ?? []))
  }
  return reached
}
