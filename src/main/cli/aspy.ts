import { toErrorAnswer } from '../../shared/contract/errors.ts'
import { createProgram } from './program.ts'

/** Entry point of the command line. An error prints one line on stderr and sets exit code 1. */
try {
  await createProgram().parseAsync()
} catch (error) {
  const { code, message } = toErrorAnswer(error)
  console.error(`aspy: ${message}`)
  if (code === 'internal' && process.env['ASPY_LOG'] === 'debug') console.error(error)
  process.exitCode = 1
}
