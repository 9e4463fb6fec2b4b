import { join } from 'node:path'
import { KNOWN_FAULTS } from './known-faults.ts'
import { withFault, type KnownFault } from './known-fault.ts'
import { runIn, runTests, type TestRun } from './run-tests.ts'
import { WorkingCopy } from './working-copy.ts'

/** A fault must be noticed by a test that fails, not by one that waits for what never comes. */
const LIMIT_MS = 300_000

const UNTRIED: TestRun = { outcome: 'broken', what: 'one of its tests fails without it', seconds: 0, red: [] }

/** Puts in the known faults, all or those named, and prints which turn a test red. Returns the exit code. */
export async function runKnownFaults(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !KNOWN_FAULTS.some((fault) => fault.name === name))
  if (unknown.length > 0) {
    console.error(`No known fault ${unknown.join(', ')}. There are: ${KNOWN_FAULTS.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const faults = KNOWN_FAULTS.filter(({ name }) => names.length === 0 || names.includes(name))
  using copy = new WorkingCopy()
  const files = [...new Set(faults.flatMap(({ tests }) => tests))]
  const before = await runTests(copy.path, files, 60 * 60_000, 'all')
  for (const path of before.red) console.log(`Fails without a fault, so it says nothing: ${path}`)
  if (before.outcome === 'broken' || before.outcome === 'hung') {
    console.error(`The tests do not run without a fault: ${before.what}`)
    return 1
  }
  console.log(`The tests ran without a fault (${before.seconds.toFixed(0)} s).`)
  const alive: string[] = []
  for (const fault of faults) {
    const isUntried = fault.tests.some((path) => before.red.includes(path))
    const run: TestRun = isUntried ? UNTRIED : await tryFault(copy, fault)
    if (run.outcome !== 'red') alive.push(fault.name)
    const word = run.outcome === 'green' ? 'SURVIVED' : run.outcome === 'red' ? 'red' : run.outcome.toUpperCase()
    console.log(`${word.padEnd(9)} ${fault.name.padEnd(36)} ${run.seconds.toFixed(0).padStart(4)} s  ${run.what}`)
  }
  console.log(`\n${faults.length - alive.length} of ${faults.length} known faults turn a test red.`)
  if (alive.length > 0) console.log(`Alive: ${alive.join(', ')}`)
  return alive.length === 0 ? 0 : 1
}

function tryFault(copy: WorkingCopy, fault: KnownFault): Promise<TestRun> {
  return copy.whileChanged(fault.file, withFault(fault, copy.read(fault.file)), async () => {
    if (fault.isBuilt === true) {
      const code = await runIn(copy.path, join(copy.path, 'scripts/build-if-stale.ts'), [], LIMIT_MS)
      if (code !== 0) return { outcome: 'broken', what: 'the build failed', seconds: 0, red: [] }
    }
    return runTests(copy.path, fault.tests, LIMIT_MS)
  })
}
