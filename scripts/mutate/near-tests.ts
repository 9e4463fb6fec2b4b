import { globSync } from 'node:fs'
import { sep } from 'node:path'
import type { Import } from '../house/imports.ts'

/** Unit tests beyond these are left out: nearer ones notice sooner, and each costs time with every mutant. */
const MOST = 16

const IS_TEST = /\.test\.tsx?$/

/** Returns all code in `src`, tests and their fixtures included, from the root of the repository. */
export function codeFiles(root: string): readonly string[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .toSorted()
}

/** Returns the unit tests that load `file`: those that import it come first, then those that import one that does. */
export function nearTests(file: string, imports: readonly Import[]): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const { from, to, isValue } of imports) if (isValue) importers.set(to, [...(importers.get(to) ?? []), from])
  const reached = new Set([file])
  // A Set is walked in the order in which paths were added, also those that are added meanwhile.
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer)
  return [...reached].filter((path) => IS_TEST.test(path)).slice(0, MOST)
}
