import { handleOutputErrors } from './output-errors.ts'
import { runCommand } from './run-command.ts'

/** As in `bin/aspy`, which starts the Node that comes with the package; this file may be called without it. */
const NEEDED = 24

/** Entry point of the command line. */
handleOutputErrors()
if (Number.parseInt(process.versions.node, 10) >= NEEDED) await runCommand()
else {
  console.error(`aspy: Node ${NEEDED} is required, but this is ${process.version}. bin/aspy finds the right one`)
  process.exitCode = 1
}
