import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { quartiles } from './pairs/quartiles.ts'
import type { Figures } from './pairs/figures.ts'

/**
 * Compares the whole app of two built checkouts (`npx electron-vite build`) in interleaved pairs: recording, forwarding
 * with the app recording, import, deletion, reading, memory. Each sample is a separate process with a fresh data
 * folder, default settings and a reader of the live feed. Prints the median and quartiles of each figure, and of its
 * ratio within a pair (after to before). Linux only (it reads /proc).
 *
 * Usage: node tests/bench/pairs.ts BEFORE AFTER [--pairs 15] [--transcripts FOLDER]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '15' }, transcripts: { type: 'string' } },
})
const [before, after] = positionals
if (before === undefined || after === undefined) {
  console.error('Name two built checkouts: node tests/bench/pairs.ts BEFORE AFTER [--pairs 15] [--transcripts FOLDER]')
  process.exit(2)
}

const samples: { before: Figures[]; after: Figures[] } = { before: [], after: [] }
for (let pair = 0; pair < Number(values.pairs); pair += 1) {
  // The second of a pair finds other caches of the system than the first, so they take turns.
  const isEven = pair % 2 === 0
  const [first, second] = isEven ? (['before', 'after'] as const) : (['after', 'before'] as const)
  for (const which of [first, second]) samples[which].push(sampleOf(which === 'before' ? before : after))
  console.error(`pair ${pair + 1}\n${JSON.stringify(samples.before.at(-1))}\n${JSON.stringify(samples.after.at(-1))}`)
}
console.log(JSON.stringify({ pairs: samples.after.length, figures: compared() }, null, 2))

function sampleOf(root: string): Figures {
  const script = join(import.meta.dirname, 'pairs/sample.ts')
  const args = [script, resolve(root), ...(values.transcripts === undefined ? [] : [resolve(values.transcripts)])]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Figures
}

function compared(): Record<string, unknown> {
  const names = [...new Set([...samples.before, ...samples.after].flatMap((sample) => Object.keys(sample)))]
  return Object.fromEntries(
    names.map((name) => {
      const of = (which: readonly Figures[]) => which.flatMap((sample) => sample[name] ?? [])
      const ratios = samples.after.flatMap((sample, pair) => {
        const [now, then] = [sample[name], samples.before[pair]?.[name]]
        return now === undefined || then === undefined ? [] : [now / then]
      })
      return [
        name,
        { before: quartiles(of(samples.before)), after: quartiles(of(samples.after)), ratio: quartiles(ratios) },
      ]
    }),
  )
}
