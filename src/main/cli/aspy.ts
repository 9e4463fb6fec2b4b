import { toErrorAnswer } from '../../shared/contract/errors.ts'
import { withTyped } from '../base/typed-command.ts'
import { isKept } from '../keeper/protocol.ts'
import { handleOutputErrors } from './output-errors.ts'

const NOT_KEPT: ReadonlySet<string> = new Set(['--demo', '--help', '-h'])

/** Entry point of the command line. An error prints one line on stderr and sets exit code 1. */
handleOutputErrors()
try {
  if (isKeeper(process.argv.slice(2))) await (await import('../keeper/keep.ts')).keep()
  else await (await import('./program.ts')).createProgram().parseAsync()
} catch (error) {
  const { code, message } = toErrorAnswer(error)
  console.error(`aspy: ${withTyped(message)}`)
  if (code === 'internal' && process.env['ASPY_LOG'] === 'debug') console.error(error)
  process.exitCode = 1
}

/** Returns whether this process only keeps an app. It then loads no more than that: it stays while its apps come and go. */
function isKeeper([command, ...flags]: readonly string[]): boolean {
  return command === 'serve' && !isKept() && !flags.some((flag) => NOT_KEPT.has(flag))
}
