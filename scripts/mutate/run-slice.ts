import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { draw, mutantsOf, sourcesIn, withMutant, type Mutant } from './draw-mutants.ts'
import { runTests, type TestRun } from './run-tests.ts'
import { withScore } from './score-table.ts'
import { SLICES } from './slices.ts'
import { ROOT, WorkingCopy } from './working-copy.ts'

/** A mutant may loop forever: it is stopped after this multiple of what the tests take without it. */
const PATIENCE = 4
const LEAST_MS = 45_000
const PAGE = join(ROOT, 'docs/mutation.md')

export interface SampleOptions {
  readonly count: number
  readonly seed: string
}

/** Tries a sample of the mutants of a folder, prints those that pass all tests, and writes the score into docs/mutation.md. */
export async function runSlice(folder: string, { count, seed }: SampleOptions): Promise<number> {
  const slice = SLICES.find((one) => one.folder === folder)
  if (slice === undefined) {
    console.error(`No folder ${folder}. There are: ${SLICES.map((one) => one.folder).join(', ')}`)
    return 2
  }
  using copy = new WorkingCopy()
  const stages: { readonly tests: readonly string[]; readonly limitMs: number }[] = []
  for (const tests of [slice.quick, slice.thorough]) {
    const { outcome, what, seconds } = await runTests(copy.path, tests, 30 * 60_000)
    if (outcome !== 'green') {
      console.error(`Without a mutant, the tests must pass, but: ${outcome}: ${what}`)
      return 1
    }
    stages.push({ tests, limitMs: Math.max(LEAST_MS, PATIENCE * seconds * 1000) })
  }
  const files = sourcesIn(copy.path, `src/main/${folder}`).map((path) => ({ path, text: copy.read(path) }))
  const all = await mutantsOf(files)
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const drawn = draw(all, texts, count, seed)
  console.log(`${drawn.length} of ${all.length} mutants, seed ${seed}`)
  let killed = 0
  for (const mutant of drawn) {
    const text = texts.get(mutant.file) ?? ''
    const run = await copy.whileChanged(mutant.file, withMutant(mutant, text), () => runStages(copy.path, stages))
    const isAlive = run.outcome === 'green'
    if (!isAlive) killed += 1
    console.log(
      `${(isAlive ? 'ALIVE' : run.outcome).padEnd(7)} ${run.seconds.toFixed(0).padStart(3)} s  ${describe(mutant, text)}`,
    )
  }
  const score = { folder, mutants: all.length, tried: drawn.length, killed, seed, at: new Date() }
  writeFileSync(PAGE, withScore(readFileSync(PAGE, 'utf8'), score))
  console.log(`${folder}: ${killed} of ${drawn.length} killed`)
  return 0
}

async function runStages(
  root: string,
  stages: readonly { readonly tests: readonly string[]; readonly limitMs: number }[],
): Promise<TestRun> {
  let last: TestRun = { outcome: 'green', what: '', seconds: 0, red: [] }
  for (const { tests, limitMs } of stages) {
    const run = await runTests(root, tests, limitMs)
    last = { ...run, seconds: last.seconds + run.seconds }
    if (run.outcome !== 'green') break
  }
  return last
}

function describe({ file, line, start, end, to, kind }: Mutant, text: string): string {
  const short = (part: string) => part.replaceAll(/\s+/g, ' ').slice(0, 100)
  return `${file}:${line} ${kind}: ${short(text.slice(start, end))} → ${short(to) || 'nothing'}`
}
