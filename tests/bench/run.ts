import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

/**
 * `npm run bench` runs every bench in a separate process, shows its output and saves it to `out/bench/NAME.txt`.
 * `npm run bench -- NAME…` runs only those, with the options that follow (`team --sizes 1000000`). Compare ratios within one run, never times between machines.
 */
const BENCHES = [
  'proxy',
  'full-mode',
  'keeper',
  'day',
  'recording',
  'store',
  'reading',
  'ledger',
  'files',
  'recall',
  'import',
  'lag',
  'pauses',
  'recorder-lag',
  'times',
  'ccusage',
  'redaction',
  'window',
  'smoothness',
  'desktop',
  'idle',
  'team',
] as const

const given = process.argv.slice(2)
const firstOption = given.findIndex((one) => one.startsWith('--'))
const asked = firstOption < 0 ? given : given.slice(0, firstOption)
const options = given.slice(asked.length)
const unknown = asked.filter((name) => !BENCHES.some((bench) => bench === name))
if (unknown.length > 0) {
  console.error(`unknown bench: ${unknown.join(', ')}; choose from ${BENCHES.join(', ')}`)
  process.exit(1)
}

const folder = join(import.meta.dirname, '../../out/bench')
mkdirSync(folder, { recursive: true })
const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
console.log(`${new Date().toISOString()}, ${cpus().length} × ${cpus()[0]?.model}, ${memory}, Node ${process.version}`)

for (const name of BENCHES) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n── ${name}`)
  const bench = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const file = createWriteStream(join(folder, `${name}.txt`))
  bench.stdout.on('data', (bytes: Buffer) => {
    process.stdout.write(bytes)
    file.write(bytes)
  })
  const [code, signal] = (await once(bench, 'close')) as [number | null, NodeJS.Signals | null]
  file.end()
  if (code === 0) continue
  console.error(`${name} ended early: ${signal === null ? `exit code ${code}` : `signal ${signal}`}`)
  process.exitCode = 1
}
