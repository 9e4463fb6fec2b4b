import { toErrorAnswer } from '../../shared/contract/errors.ts'
import { createProgram } from './program.ts'

/** Entry of the command line: an error becomes one line on stderr and exit code 1. */
try {
  await createProgram().parseAsync()
} catch (error) {
  const { code, message } = toErrorAnswer(error)
  console.error(`aspy: ${message}`)
  if (code === 'internal' && process.env['ASPY_LOG'] === 'debug') console.error(error)
  process.exitCode = 1
}
