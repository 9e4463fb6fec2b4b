import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareFolders } from './answers/compare.ts'
import { demo, stories, transcripts, type History } from './answers/histories.ts'
import { recordHistory } from './answers/record-history.ts'

/**
 * Records what the app answers, to compare it with another version:
 *
 *     npx node scripts/record-answers.ts FOLDER [--only demo,stories] [--transcripts DIR]…
 *     npx node scripts/record-answers.ts --compare BEFORE AFTER [--most N]
 *
 * `FOLDER` gets a folder for each history. `--only none` with `--transcripts` records nothing but those transcripts. `--most`
 * bounds the differences that are printed of a file (5). Exits with 1 if there are any.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: 'boolean', default: false },
    most: { type: 'string', default: '5' },
    only: { type: 'string', default: 'demo,stories' },
    transcripts: { type: 'string', multiple: true, default: [] },
  },
})
if (values.compare) compare()
else await record()

async function record(): Promise<void> {
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1) throw new Error('name one folder to write to')
  // Builds.
  await import('./build-if-stale.ts')
  const histories: readonly History[] = [
    ...[demo, stories].filter(({ name }) => values.only.split(',').includes(name)),
    ...values.transcripts.map((path) => transcripts(resolve(path))),
  ]
  for (const history of histories) {
    const out = join(resolve(folder), history.name)
    if (existsSync(out)) throw new Error(`${out} exists; remove it or choose another folder`)
    const startedAt = performance.now()
    await recordHistory(history, out, (what) => {
      process.stdout.write(`${history.name}: ${what} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
    })
  }
}

function compare(): void {
  const [before, after] = positionals
  if (before === undefined || after === undefined) throw new Error('name two folders to compare')
  const differences = compareFolders(resolve(before), resolve(after), Number(values.most))
  process.stdout.write(differences.length === 0 ? 'no differences\n' : `${differences.join('\n')}\n`)
  if (differences.length > 0) process.exitCode = 1
}
