import { conditionalExpectations } from './house/conditional-expectations.ts'
import { importsOf, sourceFiles } from './house/imports.ts'
import { forbiddenImports, unusedAllowances } from './house/layers.ts'
import { misplacedFiles } from './house/threads.ts'
import { misplacedVendors } from './house/vendors.ts'

/** Checks who imports whom, the threads that paths name, where vendors are named, and that expectations always run; prints each breach and exits with 1 if there is one. */
const imports = importsOf(sourceFiles())
const breaches = [
  ...forbiddenImports(imports),
  ...unusedAllowances(imports).map((line) => `nobody needs "${line}" in scripts/house/layers.ts: take it out`),
  ...misplacedFiles(imports),
  ...misplacedVendors(sourceFiles()),
  ...conditionalExpectations(),
]
for (const breach of breaches) console.error(breach)
process.exitCode = breaches.length === 0 ? 0 : 1
