import { join } from 'node:path'
import { createVitest } from 'vitest/node'

/**
 * Runs test files of the working copy it is started in whenever its parent asks for it. Vitest stays loaded between runs,
 * with every source that did not change, so a run of unit tests takes about a second.
 */
const root = process.cwd()
const vitest = await createVitest('test', {
  root,
  run: true,
  watch: false,
  bail: 1,
  // A file's own process takes longer to start than most of these tests take.
  isolate: false,
  maxWorkers: 1,
  reporters: [{}],
  project: ['unit', 'integration'],
})
await vitest.standalone()

let changedBefore: string | undefined
process.on('message', ({ changed, files }: { changed: string; files: readonly string[] }) => {
  void run(changed, files).then((outcome) => process.send?.(outcome))
})
process.send?.('ready')

async function run(changed: string, files: readonly string[]) {
  for (const file of [changed, changedBefore ?? changed]) vitest.invalidateFile(join(root, file))
  changedBefore = changed
  const specifications = files.flatMap((file) => vitest.getModuleSpecifications(join(root, file)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const failed = testModules.flatMap((module) => [...module.children.allTests('failed')])
  const [first] = failed
  if (first !== undefined) return { outcome: 'red', what: `${first.module.relativeModuleId}: ${first.fullName}` }
  const [error] = [...testModules.flatMap((module) => module.errors()), ...unhandledErrors]
  if (error !== undefined) return { outcome: 'broken', what: (error as Error).message?.split('\n')[0] ?? '' }
  const passed = testModules.flatMap((module) => [...module.children.allTests('passed')])
  return passed.length === 0 ? { outcome: 'broken', what: 'no test ran' } : { outcome: 'green', what: '' }
}
