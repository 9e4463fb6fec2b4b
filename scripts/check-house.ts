import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { conditionalExpectations } from './house/conditional-expectations.ts'
import { importsOf, sourceFiles } from './house/imports.ts'
import { forbiddenImports, unusedAllowances } from './house/layers.ts'
import { overCeilings, sizeOf, type Size } from './house/size.ts'
import { misplacedFiles } from './house/threads.ts'
import { misplacedVendors } from './house/vendors.ts'

/** Checks who imports whom, the threads that paths name, where vendors are named, that expectations always run, and that the house does not grow; prints each breach and exits with 1 if there is one. */
const imports = importsOf(sourceFiles())
const ceilings = JSON.parse(readFileSync(join(import.meta.dirname, 'house/ceilings.json'), 'utf8')) as Size
const breaches = [
  ...forbiddenImports(imports),
  ...unusedAllowances(imports).map((line) => `nobody needs "${line}" in scripts/house/layers.ts: take it out`),
  ...misplacedFiles(imports),
  ...misplacedVendors(sourceFiles()),
  ...conditionalExpectations(),
  ...overCeilings(sizeOf(join(import.meta.dirname, '..')), ceilings),
]
for (const breach of breaches) console.error(breach)
process.exitCode = breaches.length === 0 ? 0 : 1
