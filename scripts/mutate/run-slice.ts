import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { importsOf } from '../house/imports.ts'
import { draw, mutantsOf, sourcesIn, withMutant, type DrawnMutant } from './draw-mutants.ts'
import { EQUIVALENT_MUTANTS } from './equivalent-mutants.ts'
import { codeFiles, nearTests } from './near-tests.ts'
import type { TestRun } from './run-tests.ts'
import { SampleNotes } from './sample-notes.ts'
import { withScore } from './score-table.ts'
import { SLICES } from './slices.ts'
import { TestProcess } from './test-process.ts'
import { ROOT, WorkingCopy } from './working-copy.ts'

/** A mutant may loop forever: it is stopped after this multiple of the tests' duration without it. */
const PATIENCE = 4
const MIN_MS = 20_000
const BASELINE_MS = 30 * 60_000
const PAGE = join(ROOT, 'docs/mutation.md')

export interface SampleOptions {
  readonly count: number
  readonly seed: string
  /** Leaves out what an earlier run with this seed killed. */
  readonly isAgain: boolean
  /** Leaves out the slower integration tests, so that more mutants are counted as survivors. */
  readonly isQuick: boolean
  /** Mutants that are tried at the same time, each in its own copy. */
  readonly atOnce: number
}

/** Tries a sample of the mutants of a folder, prints those that pass all tests, and writes the score into docs/mutation.md. */
export async function runSlice(folder: string, options: SampleOptions): Promise<number> {
  const slice = SLICES.find((one) => one.folder === folder)
  if (slice === undefined) {
    console.error(`No folder ${folder}. There are: ${SLICES.map((one) => one.folder).join(', ')}`)
    return 2
  }
  const { seed } = options
  const texts = new Map(
    sourcesIn(ROOT, `src/main/${folder}`).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
  )
  const all = await mutantsOf([...texts].map(([path, text]) => ({ path, text })))
  const drawn = draw(all, texts, options.count, seed)
  const tried = drawn.filter((mutant) => !isEquivalent(mutant, texts.get(mutant.file) ?? ''))
  const notes = new SampleNotes(folder, seed, options.isAgain)
  const waiting = tried.filter(({ id }) => notes.of(id)?.isKilled !== true)
  console.log(`${drawn.length} of ${all.length} mutants, seed ${seed}; ${waiting.length} to try`)

  const note = (mutant: DrawnMutant, run: TestRun) => {
    const text = describe(mutant, texts.get(mutant.file) ?? '')
    notes.add(mutant.id, text, run.outcome !== 'green')
    const word = run.outcome === 'green' ? 'ALIVE' : run.outcome
    console.log(`${word.padEnd(7)} ${run.seconds.toFixed(0).padStart(3)} s  ${text}${run.what && `\n  ${run.what}`}`)
  }
  const rest = (options.isQuick ? [slice.quick] : [slice.quick, slice.thorough]).map(filesOf)
  if (!(await tryAll(waiting, texts, rest, options.atOnce, note))) return 1

  const known = tried.flatMap(({ id }) => notes.of(id) ?? [])
  const score = {
    folder,
    mutants: all.length,
    equivalent: drawn.length - tried.length,
    tried: tried.length,
    killedAtFirst: known.filter(({ isKilledAtFirst }) => isKilledAtFirst).length,
    killed: known.filter(({ isKilled }) => isKilled).length,
    seed,
    at: new Date(),
  }
  writeFileSync(PAGE, withScore(readFileSync(PAGE, 'utf8'), score))
  console.log(`${folder}: ${score.killed} of ${tried.length} killed, ${score.killedAtFirst} at the first try`)
  return 0
}

/** Tries each mutant with its near unit tests, then with `rest`, up to the first failure. Returns false if tests fail without one. */
async function tryAll(
  mutants: readonly DrawnMutant[],
  texts: ReadonlyMap<string, string>,
  rest: readonly (readonly string[])[],
  atOnce: number,
  note: (mutant: DrawnMutant, run: TestRun) => void,
): Promise<boolean> {
  using disposables = new DisposableStack()
  const places = Array.from({ length: atOnce }, () => {
    const copy = disposables.use(new WorkingCopy())
    return { copy, tests: disposables.use(new TestProcess(copy.path)) }
  })
  const near = nearTestsOf(mutants.map(({ file }) => file))
  const limits: number[] = []
  for (const files of [[...new Set([...near.values()].flat())], ...rest]) {
    const run = await places[0]?.tests.run('', files, BASELINE_MS)
    if (files.length > 0 && run?.outcome !== 'green') {
      console.error(`Without a mutant, the tests must pass, but: ${run?.outcome}: ${run?.what}`)
      return false
    }
    console.log(`${files.length} files of tests pass without a mutant (${(run?.seconds ?? 0).toFixed(0)} s).`)
    limits.push(Math.max(MIN_MS, PATIENCE * (run?.seconds ?? 0) * 1000))
  }
  const waiting = [...mutants]
  const work = async ({ copy, tests }: (typeof places)[number]) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { file } = mutant
      const stages = [near.get(file) ?? [], ...rest].map((files, at) => ({ files, limitMs: limits[at] ?? MIN_MS }))
      const faulty = withMutant(mutant, texts.get(file) ?? '')
      note(mutant, await copy.whileChanged(file, faulty, () => runStages(tests, file, stages)))
    }
  }
  await Promise.all(places.map(work))
  return true
}

async function runStages(
  tests: TestProcess,
  changed: string,
  stages: readonly { readonly files: readonly string[]; readonly limitMs: number }[],
): Promise<TestRun> {
  let last: TestRun = { outcome: 'green', what: '', seconds: 0, red: [] }
  for (const { files, limitMs } of stages) {
    if (files.length === 0) continue
    const run = await confirmed(await tests.run(changed, files, limitMs), (red) => tests.run(changed, [red], limitMs))
    last = { ...run, seconds: last.seconds + run.seconds }
    if (run.outcome !== 'green') break
  }
  return last
}

/** An integration test may fail because the machine is busy, so its file must fail twice. */
async function confirmed(run: TestRun, repeat: (file: string) => Promise<TestRun>): Promise<TestRun> {
  const [file = ''] = run.what.split(': ')
  if (run.outcome !== 'red' || !file.startsWith('tests/')) return run
  const again = await repeat(file)
  return { ...again, seconds: run.seconds + again.seconds }
}

function nearTestsOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const imports = importsOf(codeFiles(ROOT))
  return new Map(files.map((file) => [file, nearTests(file, imports)]))
}

function filesOf(paths: readonly string[]): readonly string[] {
  const all = globSync('tests/integration/**/*.test.ts', { cwd: ROOT }).map((path) => path.split(sep).join('/'))
  return paths.flatMap((path) => all.filter((file) => file.startsWith(path)).toSorted())
}

function isEquivalent({ file, start, end, to }: DrawnMutant, text: string): boolean {
  return EQUIVALENT_MUTANTS.some((one) => {
    const at = text.indexOf(one.within)
    const isWithin = at >= 0 && at <= start && end <= at + one.within.length
    return one.file === file && isWithin && one.from === text.slice(start, end) && one.to === to
  })
}

const folded = (text: string) => text.replaceAll(/\s+/g, ' ')

function describe({ file, line, start, end, to, kind }: DrawnMutant, text: string): string {
  const short = (part: string) => folded(part).slice(0, 100)
  return `${file}:${line} ${kind}: ${short(text.slice(start, end))} → ${short(to) || 'nothing'}`
}
