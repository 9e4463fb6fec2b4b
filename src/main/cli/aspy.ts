import { toErrorAnswer } from '../../shared/contract/errors.ts'
import { withTyped } from '../base/typed-command.ts'
import { handleOutputErrors } from './output-errors.ts'
import { createProgram } from './program.ts'

/** Entry point of the command line. An error prints one line on stderr and sets exit code 1. */
handleOutputErrors()
try {
  await createProgram().parseAsync()
} catch (error) {
  const { code, message } = toErrorAnswer(error)
  console.error(`aspy: ${withTyped(message)}`)
  if (code === 'internal' && process.env['ASPY_LOG'] === 'debug') console.error(error)
  process.exitCode = 1
}
