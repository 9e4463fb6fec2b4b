import { importsOf, sourceFiles } from './house/imports.ts'
import { forbiddenImports, unusedAllowances } from './house/layers.ts'
import { misplacedFiles } from './house/threads.ts'
import { misplacedVendors } from './house/vendors.ts'

/** Checks who imports whom, the threads that paths name, and where vendors are named; prints each breach and exits with 1 if there is one. */
const imports = importsOf(sourceFiles())
const breaches = [
  ...forbiddenImports(imports),
  ...unusedAllowances(imports).map((line) => `nobody needs "${line}" in scripts/house/layers.ts: take it out`),
  ...misplacedFiles(imports),
  ...misplacedVendors(sourceFiles()),
]
for (const breach of breaches) console.error(breach)
process.exitCode = breaches.length === 0 ? 0 : 1
