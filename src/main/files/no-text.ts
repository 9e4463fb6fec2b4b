import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

/** Returns the error that says why the record has no text of a file. `named`: as the person typed it. */
export function noText({ path, items, partial }: OperationOutput<'files.history'>, named = path): AspyError {
  // Its history says that not all calls were read.
  const isUntouched = items.length === 0 && !partial
  const why = isUntouched
    ? `nothing recorded touched ${path}`
    : `the record does not say what ${path} contained; see aspy file history ${named}`
  return new AspyError('not_found', why)
}
