import { realpathSync } from 'node:fs'
import { AspyError } from '../../shared/contract/errors.ts'

/** Returns the command that starts this `aspy` from any folder: absolute paths of Node and of the script. */
export function ownCommand(): readonly [string, string] {
  const entry = process.argv[1]
  if (entry === undefined) throw new AspyError('internal', 'cannot find the path of the aspy command')
  return [process.execPath, realpathSync(entry)]
}
