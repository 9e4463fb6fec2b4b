import { parseArgs } from 'node:util'
import { runKnownFaults } from './mutate/run-known.ts'

/** Puts faults into a copy of the product, one at a time, and reports those that no test notices. */
const { values } = parseArgs({ options: { known: { type: 'boolean' } }, allowPositionals: true })
const names = process.argv.slice(2).filter((word) => word !== '--known')
if (values.known !== true) {
  console.error('Type: npm run mutate -- --known [NAME…]')
  process.exit(2)
}
process.exitCode = await runKnownFaults(names)
