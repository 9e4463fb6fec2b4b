import { realpathSync } from 'node:fs'
import { AspyError } from '../../shared/contract/errors.ts'

/** How this very `aspy` is started, from any folder: Node and the file, both absolute. */
export function ownCommand(): readonly [string, string] {
  const entry = process.argv[1]
  if (entry === undefined) throw new AspyError('internal', 'this command does not know where its own file lies')
  return [process.execPath, realpathSync(entry)]
}
