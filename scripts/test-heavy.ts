/**
 * `npm run test:heavy [-- FILES OR OPTIONS OF VITEST]`: runs tests that have a large form in it, one level after another:
 * all files that import `tests/support/runner/heavy.ts` or look at a page in each theme, those that only it runs, or the
 * ones that are named.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { HEAVY_FILES, pathOf } from '../tests/support/runner/heavy-files.ts'

const given = process.argv.slice(2)
const LARGE = /runner\/heavy\.ts|window\/accessibility\.ts/
const large = globSync('tests/**/*.test.ts').filter((file) => LARGE.test(readFileSync(file, 'utf8')))
const chosen = given.some((word) => word.includes('.test.ts'))
  ? []
  : [...new Set([...large, ...Object.keys(HEAVY_FILES).map(pathOf)])].toSorted()
for (const project of ['integration', 'client', 'browser']) {
  const words = ['vitest', 'run', '--passWithNoTests', '--project', project, ...chosen, ...given]
  const { status } = spawnSync('npx', words, { stdio: 'inherit', env: { ...process.env, ASPY_TEST_HEAVY: '1' } })
  if (status !== 0) process.exit(status ?? 1)
}
