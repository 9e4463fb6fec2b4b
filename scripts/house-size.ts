/**
 * `node scripts/house-size.ts [CHECKOUT] [--write]`: prints the lines of code by area and how many files name a column.
 * `--write` sets the ceilings that `npm run lint` checks, 2% above, and at least 40 lines.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sizeOf } from './house/size.ts'

const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const size = sizeOf(resolve(positionals[0] ?? join(import.meta.dirname, '..')))
for (const [part, counts] of Object.entries(size)) {
  console.log(`\n${part}`)
  for (const [name, count] of Object.entries<number>(counts).toSorted(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(7)}  ${name}`)
}
if (values.write) {
  const raised = (counts: Readonly<Record<string, number>>, least = 0) =>
    Object.fromEntries(
      Object.entries(counts)
        .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
        .map(([name, count]) => [name, Math.max(Math.ceil(count * 1.02), count + least)]),
    )
  const ceilings = { lines: raised(size.lines, 40), files_naming: raised(size.files_naming) }
  writeFileSync(join(import.meta.dirname, 'house/ceilings.json'), `${JSON.stringify(ceilings, null, 2)}\n`)
}
