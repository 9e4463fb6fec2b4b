import { handleOutputErrors } from './output-errors.ts'
import { runCommand } from './run-command.ts'

/** Entry point of the command line. */
handleOutputErrors()
await runCommand()
