import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { differencesOf, type ComparedSpan } from '../support/upstream/compared-times.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { quantile } from './pairs/quartiles.ts'

// Starts and ends of turns, answers and tools in all stories of the real client, as the store has them, compared with
// the upstream's own log. The story test itself checks their order.

using folder = makeTempFolder('aspy-times-')
const file = join(folder.path, 'times.jsonl')
const words = ['vitest', 'run', '--project', 'client', 'tests/client/reconcile.test.ts']
const env = { ...process.env, ASPY_TEST_HEAVY: '1', ASPY_TIMES_FILE: file }
const { status } = spawnSync('npx', words, { stdio: ['ignore', 2, 2], env })
const stories = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as readonly ComparedSpan[])
rmSync(file)
console.log(`${stories.length} stories; the order of each is right: ${status === 0 ? 'yes' : 'no'}`)
for (const kind of ['turn', 'answer', 'tool'] as const) {
  const differences = stories.flat().flatMap((span) => (span.kind === kind ? [differencesOf(span)] : []))
  const [starts, ends] = [0, 1].map((at) => differences.map((both) => both[at] ?? 0).toSorted((a, b) => a - b))
  const figures = [starts ?? [], ends ?? []].map((all) => `p50 ${quantile(all, 0.5)}, p95 ${quantile(all, 0.95)} ms`)
  console.log(`${kind}s (${differences.length}): starts ${figures[0]}; ends ${figures[1]}`)
}
const every = stories
  .flat()
  .flatMap(differencesOf)
  .toSorted((a, b) => a - b)
console.log(`all: p50 ${quantile(every, 0.5)}, p95 ${quantile(every, 0.95)}, largest ${every.at(-1)?.toFixed(1)} ms`)
process.exitCode = status ?? 1
