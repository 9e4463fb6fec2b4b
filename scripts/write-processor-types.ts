/**
 * Writes resources/processor.d.ts, the types for users' own processors. Run it after changing src/shared/event.ts, what it imports or
 * src/main/pipeline/processor.ts. A type in tests/integration/recorder/processor-examples.test.ts fails when it is stale.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')
const OUT = join(ROOT, 'node_modules/.cache/processor-types')
const TARGET = join(ROOT, 'resources/processor.d.ts')

const HEAD = `/**
 * Types for processors of your own: see docs/processors.md. Name them in a comment above your default export,
 * \`@type {import('<path of aspy>/resources/processor.d.ts').Processor}\`, and your editor knows events and context.
 */

`

const options = '--ignoreConfig --declaration --emitDeclarationOnly --allowImportingTsExtensions --module nodenext'
const source = join(ROOT, 'src/main/pipeline/processor.ts')
execFileSync(join(BIN, 'tsc'), [
  ...options.split(' '),
  '--target',
  'es2024',
  '--outDir',
  OUT,
  '--rootDir',
  ROOT,
  source,
])
const emitted = (path: string) => readFileSync(join(OUT, path), 'utf8')
const withoutImports = (text: string) => text.replaceAll(/^(?:import|export type \{.*\})(?: .*)?\n/gm, '')
const event = [
  'json',
  'cut-by',
  'event',
  'guard-action',
  'media-reference',
  'request-shape',
  'seen-file',
  'service-terms',
]
  .map((name) => withoutImports(emitted(`src/shared/${name}.d.ts`)))
  .join('')
const processor = withoutImports(emitted('src/main/pipeline/processor.d.ts'))
writeFileSync(TARGET, HEAD + event.replace('; see decode/request-kind.ts for the rules that decide it', '') + processor)
execFileSync(join(BIN, 'oxfmt'), [TARGET])
rmSync(OUT, { recursive: true })
