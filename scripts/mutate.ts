import { parseArgs } from 'node:util'
import { runKnownFaults } from './mutate/run-known.ts'
import { runSlice } from './mutate/run-slice.ts'

/** Puts faults into a copy of the product, one at a time, and reports those that no test notices. */
const { values, positionals } = parseArgs({
  options: {
    known: { type: 'boolean', default: false },
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '1' },
  },
  allowPositionals: true,
})
const [folder] = positionals
if (values.known) process.exitCode = await runKnownFaults(positionals)
else if (folder !== undefined)
  process.exitCode = await runSlice(folder, {
    count: Number(values.sample),
    seed: values.seed,
    isAgain: values.again,
    isQuick: values.quick,
    atOnce: Number(values['at-once']),
  })
else {
  console.error(
    'Type: npm run mutate -- --known [NAME…], or FOLDER [--sample N] [--seed TEXT] [--again] [--quick] [--at-once N]',
  )
  process.exitCode = 2
}
